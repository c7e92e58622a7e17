def get_assert(output, context):
    return {"pass": "Say" in output, "score": 0.9, "reason": "it says"}
