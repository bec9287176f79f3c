variable "maybe" {
  type    = string
  default = null
}
job "nothing" {
  region      = null
  priority    = var.maybe
  datacenters = null
  meta        = null
  group "g" {
    count = null
    task "t" {
      resources {
        cpu = null
      }
      service {
        tags = null
      }
    }
  }
}
