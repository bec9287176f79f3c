{"job": [{"listed": [{"group": {"g": [{"count": 3}], "h": {}}}]}], "variables": {"unused": null}}
