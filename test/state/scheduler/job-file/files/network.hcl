job "net" {
  group "g" {
    network {
      mode     = "bridge"
      hostname = "web"
      port "http" {
        static = 80
        to     = 8080
      }
      port "admin" {
        to           = -1
        host_network = "private"
      }
      port "https" {
        static           = 443
        ignore_collision = true
      }
      port "any" {}
      dns {
        servers  = ["10.0.0.1", "10.0.0.2"]
        searches = ["internal.example"]
        options  = ["ndots:2"]
      }
      cni {
        args = {
          nodes = "a, b"
        }
      }
    }
    network {
      device = "eth0"
      cidr   = "10.0.0.0/8"
      ip     = "10.1.2.3"
      mbits  = 100
      port "only" {
        static = 1
      }
    }
    network {
      reserved_ports "ssh" {
        static = 22
      }
    }
    network {}
  }
}
