job "drivers" {
  group "g" {
    task "t" {
      driver = "docker"
      config {
        image      = "redis:7"
        ports      = ["db", "admin"]
        privileged = false
        cpu_ratio  = 0.5
        nothing    = null
        labels {
          tier = "db"
        }
        logging = {
          driver = "syslog"
          config = { tag = "redis" }
        }
        mount {
          type   = "bind"
          source = "local"
          volume_options {
            no_copy = true
            driver_config {
              name = "flocker"
            }
          }
        }
        mount {
          type = "tmpfs"
          tmpfs_options = { size = 1024 }
        }
        device "a" "b" {
          path = "/dev/x"
        }
        auth "registry" {}
        nested_list = [{ a = 1 }, { a = 2 }]
        in_parentheses = ({ a = 1 })
      }
    }
    task "empty" {
      driver = "exec"
      config {}
    }
  }
}
