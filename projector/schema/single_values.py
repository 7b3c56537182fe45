"""Convert single values (spec: Appendix D) between JSON, plain values and the values that users pass and see.

| from | to | function |
|---|---|---|
| JSON single value of the spec | plain value | `from_json` |
| plain value | JSON single value, spelled as Java spells it | `to_json` |
| Python value, or JSON single value, from a user, for a default | plain value | `to_plain` |
| plain value | the usual Python value | `from_plain` |
| plain value | text for messages | `format_value` |
| bytes of a bound | plain value | `decode_bound` |
| plain value | bytes of a bound | `encode_bound` |

Plain values are those of `projector.schema.types`. None, JSON null, is a value of every type.
"""

from __future__ import annotations

from projector.schema.binary_values import decode_bound, encode_bound
from projector.schema.json_values import format_value, from_json, to_json
from projector.schema.python_values import from_plain, to_plain

__all__ = ["decode_bound", "encode_bound", "format_value", "from_json", "from_plain", "to_json", "to_plain"]
