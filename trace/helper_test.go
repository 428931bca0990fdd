package trace

func helper(role string) int { return 2 }
