
{
  "//": "A job in the JSON syntax",
  "variable": {
    "image": { "type": "string", "default": "redis" },
    "counts": { "default": [1, 2] }
  },
  "locals": { "full": "${var.image}:7" },
  "job": {
    "from-json": {
      "type": "batch",
      "priority": 20,
      "datacenters": ["dc1", "${attr.unique.dc}"],
      "meta": { "owner": "ops", "size": 3 },
      "constraint": [
        { "attribute": "${attr.kernel.name}", "value": "linux" },
        { "distinct_hosts": true }
      ],
      "periodic": { "cron": "@daily" },
      "group": [
        {
          "web": {
            "count": "${var.counts[1]}",
            "network": { "port": { "http": { "to": 80 }, "ssh": { "static": 22 } } },
            "volume": { "data": { "type": "host" } },
            "task": {
              "server": {
                "driver": "docker",
                "env": { "A": "b", "N": 1 },
                "config": {
                  "image": "${local.full}",
                  "labels": { "a": "b" },
                  "mount": [{ "type": "bind" }]
                },
                "kill_timeout": "7s",
                "template": [{ "data": "x" }, { "data": "$${y}" }],
                "service": { "check": { "header": { "X": ["y"] } } }
              }
            }
          }
        },
        {
          "db": {
            "dynamic": {
              "task": {
                "for_each": ["one", "two"],
                "iterator": "it",
                "labels": ["${it.value}"],
                "content": { "driver": "exec", "user": "${it.key}" }
              }
            }
          }
        }
      ]
    }
  }
}
