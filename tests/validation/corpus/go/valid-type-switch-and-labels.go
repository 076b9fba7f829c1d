package main

func kind(v any) string {
	switch x := v.(type) {
	case nil:
		return "nil"
	case int, int64:
		return "int"
	case func(string) error:
		return "func"
	case []map[string]any:
		_ = x
		return "maps"
	default:
		switch {
		case v == 1:
			fallthrough
		case true:
			goto end
		}
	}
end:
	return "other"
}
