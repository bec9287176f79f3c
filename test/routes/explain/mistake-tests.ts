import { afterAll, beforeAll, test } from 'vitest'
import type { DialectName, UnderstudyOptions } from '../../../src/embedding/index.ts'
import { expectNamed, type Mistake, mistakesIn, Trial } from './mistakes.ts'

/** Conventions of the APIs in tables of mistakes; `words` are replaced in the vendor dialect. */
const conventionsOf = {
  secrets: {
    token: { neutral: 'x-secrets-token', vendor: 'x-vault-token' },
    others: { usual: 'root' },
    words: { 'X-Secrets-': 'X-Vault-', 'x-secrets-': 'x-vault-' },
  },
  platform: {
    token: { neutral: 'authorization', vendor: 'authorization' },
    others: { usual: 'owner-token', contentType: 'application/vnd.api+json' },
    words: {},
  },
  mesh: {
    token: { neutral: 'x-mesh-token', vendor: 'x-consul-token' },
    others: {},
    words: { 'X-Mesh-': 'X-Consul-', 'x-mesh-': 'x-consul-' },
  },
  scheduler: {
    token: { neutral: 'x-sched-token', vendor: 'x-nomad-token' },
    others: {},
    words: { 'X-Sched-': 'X-Nomad-', 'x-sched-': 'x-nomad-' },
  },
} as const

/** Declares a test for each mistake, all of them on one server in the dialect. */
export function testMistakes(
  service: Trial['service'],
  dialect: DialectName,
  mistakes: readonly Mistake[],
  options: UnderstudyOptions = {},
): void {
  const { token, others, words } = conventionsOf[service]
  let trial: Trial
  beforeAll(async () => {
    trial = await Trial.begin(
      service,
      { token: token[dialect], ...others },
      { ...options, dialect },
    )
  })
  afterAll(() => trial.understudy.close())

  test.each(mistakesIn(dialect, mistakes, words))('$mistake: $rule', async (mistake) => {
    expectNamed(mistake, await trial.make(mistake))
  })
}
