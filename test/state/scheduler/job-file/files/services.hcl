job "web" {
  group "g" {
    service {
      name                = "web-${NODE}"
      port                = "http"
      tags                = ["urlprefix-/", "v1"]
      canary_tags         = ["canary"]
      address_mode        = "auto"
      address             = "web.example.com"
      provider            = "sched"
      task                = "server"
      on_update           = "require_healthy"
      cluster             = "default"
      enable_tag_override = true
      meta {
        tier = "front"
      }
      canary_meta {
        tier = "canary"
      }
      tagged_addresses {
        lan = "10.0.0.1"
      }
      check_restart {
        limit           = 3
        grace           = "90s"
        ignore_warnings = true
      }
      identity {
        aud = ["mesh.example"]
        ttl = "1h"
      }
      weights {
        passing = 3
        warning = 1
      }
      check {
        name                     = "alive"
        type                     = "http"
        path                     = "/health"
        method                   = "POST"
        body                     = "{}"
        protocol                 = "https"
        port                     = "admin"
        interval                 = "10s"
        timeout                  = "2s"
        initial_status           = "warning"
        address_mode             = "host"
        advertise                = "10.1.1.1"
        notes                    = "Asks itself"
        task                     = "server"
        on_update                = "ignore"
        expose                   = true
        tls_skip_verify          = true
        tls_server_name          = "web.example.com"
        success_before_passing   = 3
        failures_before_critical = 4
        failures_before_warning  = 2
        header {
          Authorization = ["Basic YWRhOg=="]
          Accept        = ["a/b", "c/d"]
        }
        check_restart {
          limit = 1
        }
      }
    }
    task "server" {
      driver = "docker"
      service {
        check {
          type     = "script"
          command  = "/bin/check"
          args     = ["-v", 1]
          interval = "20s"
          timeout  = "5s"
        }
        check {
          type         = "grpc"
          grpc_service = "example.Health"
          grpc_use_tls = true
        }
      }
    }
  }
}
