job "gateways" {
  group "in" {
    service {
      connect {
        gateway {
          proxy {
            connect_timeout                     = "3s"
            envoy_gateway_bind_tagged_addresses = true
            envoy_gateway_no_default_bind       = true
            envoy_dns_discovery_type            = "STRICT_DNS"
            envoy_gateway_bind_addresses "lan" {
              address = "10.0.0.1"
              port    = 8443
            }
            config {
              limits {
                max = 1
              }
            }
          }
          ingress {
            tls {
              enabled         = true
              tls_min_version = "TLSv1_2"
              tls_max_version = "TLSv1_3"
              cipher_suites   = ["A", "B"]
              sds {
                cluster_name  = "sds"
                cert_resource = "cert"
              }
            }
            listener {
              port     = 8080
              protocol = "http"
              service {
                name                    = "web"
                hosts                   = ["web.example.com"]
                max_connections         = 10
                max_pending_requests    = 20
                max_concurrent_requests = 30
                tls {
                  enabled = false
                }
                request_headers {
                  add {
                    x-one = "1"
                  }
                  set {
                    x-two = 2
                  }
                  remove = ["x-three"]
                }
                response_headers {
                  remove = ["server"]
                  add {
                    x-four = "4"
                  }
                  set {
                    x-five = "5"
                  }
                }
              }
            }
          }
        }
      }
    }
    service {
      connect {
        gateway {
          terminating {
            service {
              name      = "legacy"
              ca_file   = "ca.pem"
              cert_file = "cert.pem"
              key_file  = "key.pem"
              sni       = "legacy.example.com"
            }
          }
        }
      }
    }
    service {
      connect {
        gateway {
          mesh {}
        }
      }
    }
  }
}
