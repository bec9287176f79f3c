job "tasks" {
  group "g" {
    task "main" {
      driver         = "docker"
      user           = "www-data"
      leader         = true
      kill_timeout   = "30s"
      kill_signal    = "SIGINT"
      kind           = "connect-proxy:web"
      shutdown_delay = "2s"
      restart {
        attempts = 0
        mode     = "fail"
      }
      logs {
        max_files     = 3
        max_file_size = 15
        disabled      = false
        enabled       = true
      }
      lifecycle {
        hook    = "prestart"
        sidecar = true
      }
      mesh {
        cluster = "west"
      }
    }
    task "after" {
      driver = "exec"
      lifecycle {
        hook = "poststop"
      }
    }
  }
}
