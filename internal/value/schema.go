package value

import "encoding/json"

// Schema is the JSON Schema (2020-12) of the values of a type.
func (t Type) Schema() map[string]any {
	switch t.Kind {
	case TypeBool:
		return map[string]any{"type": "boolean"}
	case TypeS32:
		return map[string]any{"type": "integer", "minimum": -1 << 31, "maximum": 1<<31 - 1}
	case TypeU32:
		return map[string]any{"type": "integer", "minimum": 0, "maximum": int64(1<<32 - 1)}
	case TypeS64:
		return map[string]any{"type": "integer"}
	case TypeU64:
		return map[string]any{"type": "integer", "minimum": 0}
	case TypeF32, TypeF64:
		return map[string]any{"type": "number"}
	case TypeString:
		return map[string]any{"type": "string"}
	case TypeList:
		return map[string]any{"type": "array", "items": t.Args[0].Schema()}
	case TypeOption:
		return map[string]any{"anyOf": []any{t.Args[0].Schema(), map[string]any{"type": "null"}}}
	case TypeTuple:
		items := []any{}
		for _, a := range t.Args {
			items = append(items, a.Schema())
		}
		return map[string]any{"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
	case TypeRecord:
		return object(t.Fields)
	}
	return map[string]any{}
}

// Schema is the JSON Schema of a call's arguments: an object with a member for
// each parameter. Parameters that may be null may be left out.
func (s *Sig) Schema() json.RawMessage {
	text, err := json.Marshal(object(s.Params))
	if err != nil { // maps of plain values always marshal
		return json.RawMessage(`{"type":"object"}`)
	}
	return text
}

func object(fields []Param) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range fields {
		properties[f.Name] = f.Type.Schema()
		if f.Type.Kind != TypeOption {
			required = append(required, f.Name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}
