def get_versions():
    return {"version": "3.3.4"}
