job "short" {
  group "g" {
    count = 1
    task "t" { driver = "docker" }
    ephemeral_disk { size = 5 }
    network { mode = "host" }
  }
}
