"""Level `values`: rows read before and after, by every engine, compared value for value."""
