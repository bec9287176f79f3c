job "loose" {
  priority    = "55"
  all_at_once = "true"
  name        = 12
  type        = true
  datacenters = ["a", 1, false]
  group "g" {
    count = 2.0
    service {
      tags = [for n in [1, 2] : n]
    }
    ephemeral_disk {
      sticky = 1 == 1
      size   = "1e3"
    }
  }
}
