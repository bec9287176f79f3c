job "meshed" {
  group "api" {
    service {
      name = "api"
      port = 9001
      connect {
        native = false
        sidecar_service {
          tags                      = ["side"]
          port                      = "proxy"
          disable_default_tcp_check = true
          meta {
            team = "a"
          }
          proxy {
            local_service_address = "127.0.0.1"
            local_service_port    = 8080
            expose {
              path {
                path            = "/health"
                protocol        = "http"
                local_path_port = 8080
                listener_port   = "exposed"
              }
            }
            upstreams {
              destination_name       = "db"
              destination_namespace  = "default"
              destination_peer       = "peer"
              destination_partition  = "part"
              destination_type       = "service"
              local_bind_port        = 5432
              datacenter             = "dc2"
              local_bind_address     = "127.0.0.1"
              local_bind_socket_path = "/run/db.sock"
              local_bind_socket_mode = "0600"
              mesh_gateway {
                mode = "local"
              }
              config {
                connect_timeout_ms = 500
              }
            }
            transparent_proxy {
              uid                    = "101"
              outbound_port          = 15001
              exclude_inbound_ports  = ["metrics", "9000"]
              exclude_outbound_ports = [443, 80]
              exclude_outbound_cidrs = ["10.0.0.0/8"]
              exclude_uids           = ["0"]
              no_dns                 = true
            }
            config {
              protocol = "grpc"
            }
          }
        }
        sidecar_task {
          name           = "proxy"
          driver         = "docker"
          user           = "nobody"
          kill_signal    = "SIGTERM"
          kill_timeout   = "5s"
          shutdown_delay = "1s"
          config {
            image = "envoy"
          }
          env {
            LEVEL = "debug"
          }
          meta {
            kind = "sidecar"
          }
          resources {
            cpu = 50
          }
          logs {
            max_files = 2
          }
          volume_mount {
            volume = "certs"
          }
        }
      }
    }
  }
}
