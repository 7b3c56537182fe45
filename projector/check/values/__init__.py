"""Level `values`: read rows before and after a change, with every engine, and compare them value by value."""
