"""Damaged tables: every verb answers with rows, findings or a clean refusal, in little time and memory."""
