variable "image" {
  type    = string
  default = "redis"
}
variable "ports" {
  type    = map(number)
  default = {}
}
job "set-by-json" {
  group "g" {
    task "t" {
      config {
        image = var.image
        ports = var.ports
      }
    }
  }
}
