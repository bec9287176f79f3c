job "example" {}
