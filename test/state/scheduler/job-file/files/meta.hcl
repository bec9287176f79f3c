job "labels" {
  meta {
    owner = "ops"
    size  = 12
    ratio = 1.5
    live  = true
  }
  group "one" {
    meta = {
      "with.dots"   = "yes"
      (upper("key")) = 3
      "owner"       : "web"
    }
    service {
      meta {
        tier = 1
      }
    }
    task "t" {
      driver = "docker"
      meta = { a = false }
      env {
        PORT = 8080
      }
    }
    task "u" {
      driver = "docker"
      meta {}
      env = { "A.B" = "c", D = 1 }
    }
  }
}
