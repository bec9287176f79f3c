job "flat" {
  group "grouped" {
    task "x" {
      driver = "exec"
    }
  }
  task "one" {
    driver = "docker"
    resources {
      network {
        port "p" {
          static = 7
        }
      }
    }
    template {
      data = "x"
    }
  }
  task "two" {
    driver = "docker"
  }
}
