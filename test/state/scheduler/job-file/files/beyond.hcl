# What the reference takes beyond the specification.
job "more" {
  group "g" {
    task "t" {
      driver = "docker"
      identity {
        env         = true
        file        = true
        filepath    = "local/token"
        change_mode = "restart"
      }
      identity {
        name          = "aws"
        aud           = ["s3"]
        change_signal = "SIGHUP"
        service_name  = "web"
        ttl           = "10m"
      }
      action "hello" {
        command = "/bin/echo"
        args    = ["hello"]
      }
      action "bye" {
        command = "/bin/true"
      }
      schedule {
        cron {
          start    = "0 9 * * *"
          end      = "0 17"
          timezone = "UTC"
        }
      }
    }
    task "u" {
      identity {
        name = "default"
      }
    }
  }
}
