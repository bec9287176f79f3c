import type { Request } from './connection.ts'
import type { Scenario } from './scenario.ts'

const path = '/v1/secret/data/bench'
const headers = { 'x-secrets-token': 'root', 'content-type': 'application/json' }
const body = JSON.stringify({ data: { user: 'ada', password: 'x'.repeat(40), port: 5432 } })
const write: Request = { method: 'POST', path, headers, body }

/** The most that a journal of the usual size may cost: 5 %. */
const unjournaled = { cpu: 1.05, rps: 0.95 }

/** Key-value v2 against a bare route that sends the same bytes (behaviour/program#figures). */
export const secretsScenarios: readonly Scenario[] = [
  {
    name: 'key-value v2 read',
    before: [write],
    requests: [{ method: 'GET', path, headers: { 'x-secrets-token': 'root' } }],
    rate: 6000,
    bare: { cpu: 1.2, rps: 0.7 },
    unjournaled,
    against: 1,
  },
  {
    name: 'key-value v2 write',
    before: [],
    requests: [write],
    rate: 6000,
    bare: { cpu: 2.2, rps: 0.5 },
    unjournaled,
    against: 1,
  },
]
