import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diffSnapshots } from '../../../../state/kernel/store/diff.ts'
import { issueAccountToken } from '../../../../state/secrets/orch/account-tokens.ts'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { noContent, statusAndBody } from '../replies.ts'
import { createSigner, issuer, now, validClaims } from './jwt.ts'

const inside = '10.0.0.9'
const outside = '192.0.2.1'
const minute = 60_000

/** Settings of users and roles with valid credentials; all but `free` cannot log in. */
const people = {
  free: {},
  near: { token_bound_cidrs: '10.0.0.0/8' },
  root: { token_policies: 'root' },
  barred: {},
}
const machines = {
  free: { role: {}, id: {} },
  near: { role: { secret_id_bound_cidrs: '10.0.0.0/8' }, id: { num_uses: 3 } },
  tied: { role: {}, id: { cidr_list: '10.0.0.0/8', num_uses: 2 } },
  root: { role: { token_policies: 'root' }, id: { num_uses: 2 } },
}
type Person = keyof typeof people
type Machine = keyof typeof machines
type Credential = 'right' | 'wrong' | 'missing'

type Step =
  | { kind: 'userpass'; principal: Person | 'nobody'; credential: Credential; peer: string }
  | { kind: 'approle'; principal: Machine | 'nobody'; credential: Credential; peer: string }
  | { kind: 'jwt' | 'orch'; jwt: number; role: string }
  | { kind: 'wait'; by: number }

const names = <Name extends string>(of: Record<Name, unknown>) =>
  fc.constantFrom<Name | 'nobody'>(...(Object.keys(of) as Name[]), 'nobody')
const credential = fc.constantFrom<Credential>('right', 'wrong', 'wrong', 'wrong', 'missing')
const peer = fc.constantFrom(inside, outside)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('userpass' as const),
      principal: names(people),
      credential,
      peer,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('approle' as const),
      principal: names(machines),
      credential,
      peer,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('jwt' as const, 'orch' as const),
      jwt: fc.nat(5),
      role: fc.constantFrom('app', 'app', 'none', ''),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      by: fc.constantFrom(minute, 15 * minute),
    }),
  },
)

/** Effect of a refused login: a counted failure, or a spent use of the secret id. */
type Effect = 'failure' | 'use'
type LoginOutcome = 'in' | readonly Effect[]

/** Failures of each user, and the remaining uses of secret ids. */
class Model {
  now = 0
  readonly failures = new Map<string, { count: number; at: number }>()
  readonly uses = new Map<string, number>([
    ['near', 3],
    ['tied', 2],
    ['root', 2],
  ])

  attempt(step: Exclude<Step, { kind: 'wait' }>): LoginOutcome {
    if ('jwt' in step) {
      return step.jwt === 0 && step.role === 'app' ? 'in' : []
    }
    const { kind, principal: who, credential, peer } = step
    if (who === 'nobody') return []
    const key = `${kind}/${who}`
    const before = this.failures.get(key)
    const isRecent = before !== undefined && this.now - before.at < 15 * minute
    if (isRecent && before.count >= 5) return []
    if (credential === 'missing') return []
    const hasNoUses = kind === 'approle' && this.uses.get(who) === 0
    if (credential === 'wrong' || hasNoUses) {
      this.failures.set(key, { count: isRecent ? before.count + 1 : 1, at: this.now })
      return ['failure']
    }
    const left = this.uses.get(who)
    const counts = kind === 'approle' && left !== undefined
    if (counts) this.uses.set(who, left - 1)
    const isInBoundNetwork = peer === inside || (who !== 'near' && who !== 'tied')
    if (!isInBoundNetwork || who === 'root' || who === 'barred') return counts ? ['use'] : []
    this.failures.delete(key)
    return 'in'
  }
}

const tables: Readonly<Record<string, Effect>> = {
  'secrets.login-failures': 'failure',
  'secrets.approle-secret-ids': 'use',
}

/** Starts a server with all users, and returns the credentials of each. */
async function loginAll() {
  const server = await servedSecrets()
  const { secrets, world } = server
  const write = async (path: string, body: object) =>
    expect(statusAndBody(await secrets.post(path, body))).toEqual(noContent)
  for (const type of ['userpass', 'approle', 'jwt', 'orch']) {
    await write(`sys/auth/${type}`, { type })
  }
  for (const [name, user] of Object.entries(people)) {
    await write(`auth/userpass/users/${name}`, { password: 'pw', ...user })
  }
  const ids = new Map<string, string>()
  for (const [name, { role, id }] of Object.entries(machines)) {
    await write(`auth/approle/role/${name}`, { role_id: name, ...role })
    const created = await secrets.post(`auth/approle/role/${name}/secret-id`, id)
    ids.set(name, created.body.data.secret_id)
  }
  await write('auth/jwt/config', { jwt_validation_pubkeys: [issuer.pem] })
  const jwtRole = { role_type: 'jwt', user_claim: 'sub', bound_audiences: 'here' }
  await write('auth/jwt/role/app', jwtRole)
  await write('auth/orch/config', { orch_host: 'https://orch:6443' })
  await write('auth/orch/role/app', {
    bound_service_account_names: 'web',
    bound_service_account_namespaces: 'shop',
  })
  const { accessor } = (await secrets.get('sys/auth')).body.data['userpass/']
  const { id } = (await secrets.post('identity/entity', { disabled: true })).body.data
  const alias = { name: 'barred', mount_accessor: accessor, canonical_id: id }
  expect((await secrets.post('identity/entity-alias', alias)).status).toBe(200)
  const late = { ...validClaims, iat: now + 3600, exp: now + 7200 }
  const otherSigner = await createSigner()
  const jwts = {
    jwt: [
      await issuer.sign({ ...validClaims, exp: now + 86_400 }),
      await otherSigner.sign(validClaims),
      await issuer.sign({ ...validClaims, aud: 'there' }),
      await issuer.sign({ ...late, nbf: now + 86_400 * 365 }),
      'a.b.c',
      '',
    ],
    orch: [
      issueAccountToken(world, { namespace: 'shop', service_account: 'web', ttl: '24h' }).token,
      await otherSigner.sign(validClaims),
      issueAccountToken(world, { namespace: 'shop', service_account: 'other' }).token,
      issueAccountToken(world, { namespace: 'else', service_account: 'web' }).token,
      'a.b.c',
      '',
    ],
  }
  const login = (step: Exclude<Step, { kind: 'wait' }>) => {
    if ('jwt' in step) {
      const body = { role: step.role, jwt: jwts[step.kind][step.jwt] }
      return secrets.post(`auth/${step.kind}/login`, body, { token: null })
    }
    const { principal: who, credential, peer } = step
    const options = { token: null, peer }
    if (step.kind === 'userpass') {
      const password = { right: 'pw', wrong: 'no', missing: '' }[credential]
      return secrets.post(`auth/userpass/login/${who}`, { password }, options)
    }
    const secret_id = { right: ids.get(who) ?? '', wrong: 'no', missing: '' }[credential]
    return secrets.post('auth/approle/login', { role_id: who, secret_id }, options)
  }
  return { ...server, login }
}

describe('behaviour/secrets#lockout: a refused login', () => {
  test('counts failures as declared, and changes nothing else', async () => {
    const { world, clock, login } = await loginAll()
    const filled = world.snapshot()
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }),
        async (steps) => {
          world.restore(filled)
          const model = new Model()
          for (const step of steps) {
            if (step.kind === 'wait') {
              model.now += step.by
              clock.advance(step.by)
              continue
            }
            const before = world.snapshot().store
            const { status } = await login(step)
            const expected = model.attempt(step)
            if (status === 200) {
              expect([step, 'in']).toEqual([step, expected])
              continue
            }
            const rows = diffSnapshots(before, world.snapshot().store)
            const effects = rows.map(({ table }) => tables[table] ?? table)
            expect([step, status >= 400, effects]).toEqual([step, true, expected])
          }
        },
      ),
      { numRuns: 40 },
    )
  })
})
