import type { Request } from './connection.ts'
import type { Scenario } from './scenario.ts'

const headers = { 'content-type': 'application/json' }

/** Returns a typical small web service: two tasks, a port, and a service with a check. */
export const jobOf = (n: number, revision: string) => ({
  ID: `web-${n}`,
  Name: `web-${n}`,
  Type: 'service',
  Datacenters: ['*'],
  Meta: { revision },
  TaskGroups: [
    {
      Name: 'web',
      Count: 1,
      Networks: [{ Mode: 'bridge', DynamicPorts: [{ Label: 'http', To: 8080 }] }],
      Services: [
        {
          Name: 'web',
          PortLabel: 'http',
          Provider: 'sched',
          Checks: [{ Type: 'http', Path: '/health', Interval: 10e9, Timeout: 2e9 }],
        },
      ],
      Tasks: [
        {
          Name: 'server',
          Driver: 'docker',
          Config: { image: 'example/web:1.2.3', ports: ['http'] },
          Env: { LOG_LEVEL: 'info', PORT: '8080' },
          Resources: { CPU: 100, MemoryMB: 64 },
        },
        {
          Name: 'logs',
          Driver: 'docker',
          Config: { image: 'example/logs:0.4' },
          Lifecycle: { Hook: 'prestart', Sidecar: true },
          Resources: { CPU: 50, MemoryMB: 32 },
        },
      ],
    },
  ],
})

const register = (n: number, revision: string): Request => ({
  method: 'PUT',
  path: '/v1/jobs',
  headers,
  body: JSON.stringify({ Job: jobOf(n, revision) }),
})

export const jobFile = `job "web" {
  datacenters = ["*"]
  type        = "service"

  meta {
    revision = "1"
  }

  group "web" {
    count = 1

    network {
      mode = "bridge"
      port "http" {
        to = 8080
      }
    }

    service {
      name     = "web"
      port     = "http"
      provider = "sched"

      check {
        type     = "http"
        path     = "/health"
        interval = "10s"
        timeout  = "2s"
      }
    }

    task "server" {
      driver = "docker"

      config {
        image = "example/web:1.2.3"
        ports = ["http"]
      }

      env {
        LOG_LEVEL = "info"
        PORT      = "8080"
      }

      resources {
        cpu    = 100
        memory = 64
      }
    }
  }
}
`

/** Returns requests that register 50 jobs of one revision. */
const fifty = (revision: string) => Array.from({ length: 50 }, (_, n) => register(n, revision))

/**
 * Scenarios of jobs. The target is three times the rate before the rewrite
 * (behaviour/program#figures).
 */
export const schedulerScenarios: readonly Scenario[] = [
  {
    name: 'scheduler: list of 50 jobs',
    setUp: fifty('1'),
    requests: [{ method: 'GET', path: '/v1/jobs' }],
    rate: 2000,
    against: 1 / 3,
  },
  {
    name: 'scheduler: read of a job',
    setUp: fifty('1'),
    requests: [{ method: 'GET', path: '/v1/job/web-7' }],
    rate: 5000,
    against: 1 / 3,
  },
  {
    name: 'scheduler: register',
    setUp: fifty('1'),
    // Each request changes its job, so each creates a version and an evaluation.
    requests: [...fifty('2'), ...fifty('1')],
    rate: 150,
    against: 1 / 3,
  },
  {
    name: 'scheduler: parse',
    setUp: [],
    requests: [
      {
        method: 'POST',
        path: '/v1/jobs/parse',
        headers,
        body: JSON.stringify({ JobHCL: jobFile, Canonicalize: true }),
      },
    ],
    rate: 700,
    against: 1 / 3,
  },
]
