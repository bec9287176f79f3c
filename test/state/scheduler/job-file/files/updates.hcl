job "careful" {
  update {
    stagger           = "30s"
    max_parallel      = 3
    health_check      = "checks"
    min_healthy_time  = "10s"
    healthy_deadline  = "3m"
    progress_deadline = "1h0m"
    auto_revert       = true
    auto_promote      = true
    canary            = 1
  }
  migrate {
    max_parallel     = 2
    health_check     = "task_states"
    min_healthy_time = "11s"
    healthy_deadline = "11m"
  }
  reschedule {
    attempts       = 15
    interval       = "30m"
    delay          = "10s"
    delay_function = "constant"
    max_delay      = "1m30s"
    unlimited      = false
  }
  group "g" {
    update {
      canary = 2
    }
    migrate {
      max_parallel = 1
    }
    reschedule {
      unlimited = true
    }
  }
}
