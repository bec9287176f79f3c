job "sealed" {
  secrets {
    policies = ["job"]
  }
  task "alone" {
    driver = "exec"
  }
  group "a" {
    secrets {
      policies    = ["group"]
      namespace   = "team"
      change_mode = "noop"
    }
    task "inherits" {
      driver = "exec"
    }
    task "own" {
      driver = "exec"
      secrets {
        policies               = ["own", "more"]
        role                   = "reader"
        cluster                = "default"
        env                    = false
        change_mode            = "signal"
        change_signal          = "SIGUSR1"
        disable_file           = true
        allow_token_expiration = true
      }
    }
  }
  group "b" {
    task "from-job" {
      driver = "exec"
    }
  }
}
