def get_versions():
    return {"version": "1.24.2", "full-revisionid": "85f38ab180ece5290f64e8ddbd9cf06ad8fa4a5e", "dirty": False, "error": None}
