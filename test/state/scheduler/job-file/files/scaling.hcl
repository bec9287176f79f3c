job "elastic" {
  group "g" {
    scaling {
      min     = 1
      max     = 10
      enabled = false
      type    = "horizontal"
      policy {
        cooldown            = "1m"
        evaluation_interval = 10
        check "memory" {
          source = "prometheus"
          query  = "avg(memory)"
          strategy "target-value" {
            target = 70
          }
        }
        check "cpu" {
          strategy "threshold" {}
        }
      }
    }
    task "t" {
      driver = "docker"
      scaling "cpu" {
        min     = 50
        max     = 1000
        enabled = true
        policy {
          cooldown = "5m"
        }
      }
      scaling "MEM" {
        type = "vertical_mem"
        max  = 512
      }
    }
  }
  group "h" {
    scaling {
      max = 0
    }
  }
}
