package abi

import "wb/internal/value"

// DeclaresError reports whether a signature says itself that it can fail.
func DeclaresError(sig *value.Sig) bool {
	return len(sig.Results) == 1 && sig.Results[0].Type.Kind == value.TypeResult
}

// Failing is the signature at the level of the call for a function that returns
// an error which its own signature does not have.
func Failing(sig *value.Sig) *value.Sig {
	ok := value.Type{Kind: value.TypeOption, Args: []value.Type{{Kind: value.TypeBool}}} // null, for no result at all
	switch {
	case len(sig.Results) == 1 && sig.Results[0].Name == "":
		ok = sig.Results[0].Type
	case len(sig.Results) > 0:
		ok = value.Type{Kind: value.TypeRecord, Fields: sig.Results}
	}
	return &value.Sig{Name: sig.Name, Params: sig.Params, Results: []value.Param{{Type: value.Type{Kind: value.TypeResult, Args: []value.Type{ok, {Kind: value.TypeString}}}}}}
}
