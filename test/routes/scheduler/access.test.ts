import { beforeEach, describe, expect, test } from 'vitest'
import { schedulerOperations } from '../../../routes/scheduler/operations.ts'
import { exportWorld, type StateDocument } from '../../../state/kernel/worlds/document.ts'
import { scheduler, type TestScheduler } from '../../support/scheduler/scheduler.ts'
import {
  byManagement,
  byNamespace,
  byOtherRules,
  byPath,
  cutLists,
  type Guarded,
  granting,
  open,
  refused,
  registerThings,
  role,
  type TargetIds,
} from './access-operations.ts'
import { aclScheduler, exampleJob, failureOf, requireSuccess } from './support.ts'

const section = 'behaviour/scheduler#auth'
const denied = [403, 'Permission denied'] as const

interface Guard extends TestScheduler {
  readonly things: TargetIds
  /** Returns a client with a new token that has one policy with these rules. */
  holder(rules: string, name?: string): Promise<ReturnType<TestScheduler['as']>>
}

const settings = { options: { aclEnabled: true, waitJitter: false } }

/** State with one object of each kind, and the ids of these objects. */
interface Prepared {
  readonly document: StateDocument
  readonly things: TargetIds
}

/** State that the first test made; all others load it, which takes a tenth of the time. */
let prepared: Prepared | undefined

/** Makes one object of each kind. */
async function prepare(): Promise<Prepared> {
  const { manager, clock, world } = await scheduler(settings)
  await registerThings(manager)
  clock.advance(2000)
  await requireSuccess(manager.post('namespace', { Name: 'other' }))
  const first = async (path: string) => String((await manager.get(path)).body[0].ID)
  const policy = { Name: 'nothing', Rules: '' }
  await requireSuccess(manager.post('acl/policy/nothing', policy))
  const spare = { Type: 'client', Policies: ['nothing'] }
  const things = {
    allocation: await first('job/example/allocations'),
    ended: await first('job/nightly/allocations'),
    evaluation: await first('job/example/evaluations'),
    deployment: await first('job/example/deployments'),
    node: await first('nodes'),
    service: await first('service/own'),
    role: String((await requireSuccess(manager.post('acl/role', role))).body.ID),
    scalingPolicy: await first('scaling/policies'),
    accessor: String((await manager.post('acl/token', spare)).body.AccessorID),
    rootKey: String((await manager.get('operator/keyring/keys')).body[0].KeyID),
  }
  await requireSuccess(manager.post('operator/keyring/rotate'))
  return { document: exportWorld(world), things }
}

/** Starts a server with ACLs and one object of each kind. */
async function guarded(): Promise<Guard> {
  prepared ??= await prepare()
  const { document, things } = prepared
  const served = await scheduler({ ...settings, document })
  const { manager, as } = served
  let count = 0
  const holder = async (Rules: string, Name = `p-${++count}`) => {
    await requireSuccess(manager.post(`acl/policy/${Name}`, { Name, Rules }))
    const sent = { Type: 'client', Policies: [Name] }
    return as((await requireSuccess(manager.post('acl/token', sent))).body.SecretID)
  }
  return { ...served, things, holder }
}

/** Returns the reply to a call: status and, for refusals, text. */
async function answer(
  { things: targets }: Guard,
  client: ReturnType<TestScheduler['as']>,
  { call }: Pick<Guarded, 'call'>,
  headers: Readonly<Record<string, string>> = {},
) {
  const [method, path, body] = call(targets)
  const { status, text } = await client.request(method, path, body, { headers })
  // Some reads report missing rights with 200.
  return status === 200 && text !== denied[1] ? 200 : [status, text]
}

/**
 * Returns the replies to an expired, a malformed and an unknown token. Servers hide the reason;
 * agents and clients report it.
 */
function badTokenReplies({ id }: Pick<Guarded, 'id'>) {
  const resolver = schedulerOperations.find((each) => each.id === id)?.tokenResolver
  if (resolver === 'agent') {
    const failed = 'failed to resolve ACL token: '
    return [
      [500, `${failed}ACL token expired`],
      [500, `${failed}acl token lookup failed: index error: UUID must be 36 characters`],
      [403, 'ACL token not found'],
    ]
  }
  if (resolver !== 'client') return [denied, denied, denied]
  const parts = 'compact JWS format must have three parts'
  const status = streamStatuses.get(id)
  return [
    [status ?? 500, 'ACL token expired'],
    [status ?? 500, `failed to parse signed token: go-jose/go-jose: ${parts}`],
    [status ?? 403, 'Permission denied'],
  ]
}

/** Statuses with which streams, and reads made of streams, report missing rights. */
const streamStatuses: ReadonlyMap<string, number> = new Map([
  ['readAllocationLogs', 500],
  ['streamAllocationFile', 403],
  ['catAllocationFile', 200],
  ['readAllocationFileAt', 200],
])

describe(`the table of operations (${section})`, () => {
  test('contains each operation once', () => {
    const known = [...byNamespace, ...byOtherRules, ...byManagement, ...cutLists, ...open]
    const ids = [
      ...known.map(({ id }) => id),
      ...byPath,
      ...refused,
      'bootstrapJobAcls',
      'readOwnJobAclToken',
      'streamEvents',
    ]
    expect(ids.sort()).toEqual(schedulerOperations.map(({ id }) => id).sort())
  })

  describe.each([...byNamespace, ...byOtherRules])('$id', (operation) => {
    let guard: Guard
    let refusal: readonly [number, string]
    beforeEach(async () => {
      guard = await guarded()
      refusal = operation.refusal?.(guard.things) ?? denied
    })

    // choice/scheduler#job-node-rights choice/scheduler#client-files-rights
    test('is refused without the right', async () => {
      const ask = async (rules: string) => answer(guard, await guard.holder(rules), operation)
      expect(await answer(guard, guard.scheduler, operation)).toEqual(refusal)
      expect(await ask('')).toEqual(refusal)
      expect(await ask(operation.others)).toEqual(refusal)
      const [first = ''] = operation.sufficientRules
      const isOfNamespace = first.startsWith('namespace') && operation.id !== 'readJobAclPolicy'
      if (!isOfNamespace) return
      // The right in another namespace, and the right together with deny.
      expect(await ask(first.replace('"default"', '"other"'))).toEqual(refusal)
      const deny = first.replace('{', '{ policy = "deny"')
      expect(await ask(deny)).toEqual(refusal)
      expect(await ask(`${first.replace('"default"', '"*"')} ${deny}`)).toEqual(refusal)
    })

    test('is refused to unknown, malformed and expired tokens', async () => {
      const { manager, as, clock } = guard
      await requireSuccess(
        manager.post('acl/policy/enough', { Name: 'enough', Rules: operation.sufficientRules[0] }),
      )
      const mortal = { Type: 'client', Policies: ['enough'], ExpirationTTL: '1m' }
      const { SecretID } = (await requireSuccess(manager.post('acl/token', mortal))).body
      clock.advance(60_000)
      const [method, path, body] = operation.call(guard.things)
      const refusals = badTokenReplies(operation)
      const secrets = [SecretID, 'x', '00000000-0000-4000-8000-000000000000']
      for (const [at, secret] of secrets.entries()) {
        const reply = await as(secret).request(method, path, body)
        expect([reply.status, reply.text]).toEqual(refusals[at])
      }
    })

    test('is granted with the right, by each token header', async () => {
      const { world, holder, scheduler: plain, manager } = guard
      const rules = operation.sufficientRules
      for (const [at, rule] of rules.entries()) {
        const name = at === 0 ? 'enough' : undefined
        const client = await holder(rule, name)
        const start = world.snapshot()
        expect(await answer(guard, client, operation)).toBe(200)
        world.restore(start)
      }
      await holder(rules[0] ?? '', 'anonymous')
      const body = { Type: 'client', Policies: ['enough'] }
      const { SecretID } = (await requireSuccess(manager.post('acl/token', body))).body
      const start = world.snapshot()
      for (const headers of [
        { authorization: `Bearer ${SecretID}` },
        { 'x-nomad-token': SecretID },
        { 'x-sched-token': `  ${SecretID} ` },
      ]) {
        expect(await answer(guard, plain, operation, headers)).toBe(200)
        world.restore(start)
      }
      expect(await answer(guard, manager, operation)).toBe(200)
      world.restore(start)
      // Callers without a token hold the policy named anonymous.
      if (operation.id !== 'readJobAclPolicy') {
        expect(await answer(guard, plain, operation)).toBe(200)
      }
    })

    test('is granted to anyone while ACLs are off, whatever the token', async () => {
      const { world, as } = guard
      if (operation.id.includes('Acl')) return
      world.changeOptions({ scheduler: { aclEnabled: false } })
      expect(await answer(guard, as('x'), operation)).toBe(200)
    })
  })

  test.each(byManagement)('$id requires a management token', async (operation) => {
    const guard = await guarded()
    const { manager, holder, scheduler: plain, as } = guard
    await holder(granting(['read-job']), 'p')
    const everything =
      'namespace "*" { policy = "write" } node { policy = "write" } agent { policy = "write" } operator { policy = "write" } node_pool "*" { policy = "write" }'
    for (const client of [plain, await holder(everything)]) {
      expect(await answer(guard, client, operation)).toEqual(denied)
    }
    expect(await answer(guard, as('x'), operation)).toEqual(badTokenReplies(operation)[1])
    expect(await answer(guard, manager, operation)).toBe(200)
  })

  // choice/scheduler#job-open-paths
  test.each(open)('$id is open to anyone, whatever the token', async ({ path }) => {
    const { scheduler: plain, as, manager } = await guarded()
    const answers = [await plain.get(path), await as('x').get(path), await manager.get(path)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  })

  test.each(cutLists)('$id refuses unknown tokens', async ({ path }) => {
    const { as } = await guarded()
    expect(await failureOf(as('x').get(path))).toEqual(denied)
  })
})

describe(`lists are filtered by the caller's rights (${section})`, () => {
  const names = (body: readonly { readonly Name: string }[]) => body.map(({ Name }) => Name)

  // choice/scheduler#job-filtered-lists
  test.each([
    ['namespace "other" { policy = "read" }', ['other']],
    ['namespace "*" { capabilities = ["list-jobs"] }', ['default', 'other']],
    [
      'namespace "o*" { capabilities = ["read-logs"] } namespace "default" { policy = "deny" }',
      ['other'],
    ],
    ['namespace "*" { policy = "deny" }', []],
    ['node { policy = "write" }', []],
  ])('namespaces: %s', async (rules, seen) => {
    const { holder } = await guarded()
    const { status, body } = await (await holder(rules)).get('namespaces')
    expect([status, names(body)]).toEqual([200, seen])
  })

  // choice/scheduler#job-filtered-lists
  test.each([
    ['node_pool "*" { policy = "read" }', ['all', 'default', 'gpu']],
    ['node_pool "all" { policy = "write" }', ['all']],
    ['node { policy = "write" }', []],
  ])('node pools: %s', async (rules, seen) => {
    const { holder } = await guarded()
    const { status, body } = await (await holder(rules)).get('node/pools')
    expect([status, names(body)]).toEqual([200, seen])
  })

  // choice/scheduler#job-filtered-lists
  test('policies: those that the caller holds', async () => {
    const { holder, manager, scheduler: plain } = await guarded()
    const client = await holder(granting(['read-job']), 'mine')
    expect(names((await client.get('acl/policies')).body)).toEqual(['mine'])
    expect(names((await manager.get('acl/policies')).body)).toEqual(['mine', 'nothing'])
    expect((await plain.get('acl/policies')).body).toEqual([])
    await holder('', 'anonymous')
    expect(names((await plain.get('acl/policies')).body)).toEqual(['anonymous'])
  })

  test.each([
    ['jobs', 'list-jobs'],
    ['allocations', 'read-job'],
    ['evaluations', 'read-job'],
    ['deployments', 'read-job'],
    ['jobs/statuses', 'read-job'],
  ])('%s of all namespaces need %s in one of them', async (path, capability) => {
    const guard = await guarded()
    const { manager, clock, holder } = guard
    const job = exampleJob({ ID: 'there', Namespace: 'other' })
    await requireSuccess(manager.post('jobs', { Job: job }))
    clock.advance(500)
    const seenBy = async (rules: string) => {
      const { status, body } = await (await holder(rules)).get(`${path}?namespace=*`)
      if (status !== 200) return status
      return [...new Set(body.map(({ Namespace }: { Namespace: string }) => Namespace))].sort()
    }
    expect(await seenBy(granting([capability], 'other'))).toEqual(['other'])
    expect(await seenBy(granting([capability], '*'))).toEqual(['default', 'other'])
    expect(
      await seenBy(`${granting([capability], '*')} namespace "other" { policy = "deny" }`),
    ).toEqual(['default'])
    expect(await seenBy(granting([capability], 'absent'))).toEqual([])
    expect(await seenBy(granting(['parse-job'], '*'))).toBe(403)
    expect(await seenBy('')).toBe(403)
  })

  test('allocations on a node: those in namespaces whose jobs the caller may read', async () => {
    const { manager, clock, holder, world } = await guarded()
    world.changeOptions({ scheduler: { timeScale: 0 } })
    for (const Namespace of ['default', 'other']) {
      const group = { Name: 'g', Count: 3, Tasks: [{ Name: 't', Driver: 'docker' }] }
      const job = { ID: 'wide', Namespace, Type: 'system', TaskGroups: [{ ...group, Count: 1 }] }
      await requireSuccess(manager.post('jobs', { Job: job }))
    }
    clock.advance(1000)
    const [node] = (await manager.get('nodes')).body
    const seen = async (rules: string) => {
      const client = await holder(`node { policy = "read" } ${rules}`)
      const { body } = await client.get(`node/${node.ID}/allocations`)
      const spaces = body.map(({ Namespace }: { Namespace: string }) => Namespace)
      return [...new Set(spaces)].sort()
    }
    expect(await seen('')).toEqual([])
    expect(await seen(granting(['read-job'], 'other'))).toEqual(['other'])
    expect(await seen(granting(['read-job'], '*'))).toEqual(['default', 'other'])
  })
})

describe(`IDs in another namespace than the request's (${section})`, () => {
  // choice/scheduler#job-allocation-rights choice/scheduler#job-rights-of-ids
  test('an evaluation or deployment requires rights in both namespaces, an allocation in its own', async () => {
    const { manager, clock, holder } = await guarded()
    await requireSuccess(
      manager.post('jobs', { Job: exampleJob({ ID: 'there', Namespace: 'other' }) }),
    )
    clock.advance(500)
    const first = async (path: string) => (await manager.get(`${path}?namespace=other`)).body[0].ID
    const allocation = await first('job/there/allocations')
    const evaluation = `evaluation/${await first('job/there/evaluations')}`
    const deployment = `deployment/${await first('job/there/deployments')}`
    const there = await holder(granting(['read-job'], 'other'))
    const here = await holder(granting(['read-job'], 'default'))
    for (const path of [evaluation, `${evaluation}/allocations`, deployment]) {
      expect(await failureOf(there.get(path))).toEqual(denied)
      expect((await there.get(`${path}?namespace=other`)).status).toBe(200)
      expect((await there.get(`${path}?namespace=*`)).status).toBe(200)
      expect(await failureOf(here.get(path))).toEqual(denied)
    }
    expect((await there.get(`allocation/${allocation}`)).status).toBe(200)
    expect(await failureOf(here.get(`allocation/${allocation}`))).toEqual([
      500,
      `Unknown allocation "${allocation}"`,
    ])
    const stop = `allocation/${allocation}/stop`
    const stopsHere = await holder(granting(['alloc-lifecycle'], 'default'))
    expect(await failureOf(stopsHere.post(stop))).toEqual(denied)
    const stopsThere = await holder(granting(['alloc-lifecycle'], 'other'))
    expect((await stopsThere.post(stop)).status).toBe(200)
  })

  // choice/scheduler#job-allocation-rights
  test('missing objects are 404 before rights are checked where the reference does so', async () => {
    const { scheduler: plain, holder } = await guarded()
    const unknown = '00000000-0000-4000-8000-000000000000'
    expect(await failureOf(plain.post(`allocation/${unknown}/stop`))).toEqual([
      404,
      'allocation not found',
    ])
    expect(await failureOf(plain.get(`allocation/${unknown}`))).toEqual([404, 'alloc not found'])
    expect(await failureOf(plain.get(`evaluation/${unknown}`))).toEqual(denied)
    expect(await failureOf(plain.get(`deployment/${unknown}`))).toEqual(denied)
    expect(await failureOf(plain.get('job/absent'))).toEqual(denied)
    const reader = await holder(granting(['read-job']))
    expect(await failureOf(reader.get(`evaluation/${unknown}`))).toEqual([404, 'eval not found'])
    expect(await failureOf(reader.get('job/absent'))).toEqual([404, 'job not found'])
    // Missing namespace: empty lists and 404 for reads, for callers who may read all namespaces.
    const anywhere = await holder(granting(['read-job', 'list-jobs'], '*'))
    expect((await anywhere.get('jobs?namespace=nowhere')).body).toEqual([])
    expect(await failureOf(anywhere.get('job/example?namespace=nowhere'))).toEqual([
      404,
      'job not found',
    ])
  })
})

describe(`registering (${section})`, () => {
  const invalid = exampleJob({ TaskGroups: [] })

  test('is validated before rights are checked', async () => {
    const { scheduler: plain } = await aclScheduler()
    const why = '1 error occurred:\n\t* Missing job task groups\n\n'
    expect(await failureOf(plain.post('jobs', { Job: invalid }))).toEqual([500, why])
    expect(await failureOf(plain.post('job/example/plan', { Job: invalid }))).toEqual([500, why])
    expect(await failureOf(plain.post('jobs', { Job: exampleJob() }))).toEqual(denied)
  })

  test('is refused to an unknown token before validation', async () => {
    const { as } = await aclScheduler()
    expect(await failureOf(as('x').post('jobs', { Job: invalid }))).toEqual(denied)
  })

  // Section 2, POST /v1/jobs: the 400s come first of all.
  // choice/scheduler#scheduler-order-of-region
  test.for([
    ['jobs', { Job: null }, 'Job must be specified'],
    ['job/example', { Job: { ID: 'other' } }, 'Job ID does not match name'],
    ['job/example/plan', { Job: { ID: 'other' } }, 'Job ID does not match'],
  ] as const)('%s %j is malformed for every caller and region', async ([path, sent, why]) => {
    const { as } = await aclScheduler()
    expect(await failureOf(as('x').post(path, sent))).toEqual([400, why])
    expect(await failureOf(as('x').post(`${path}?region=none`, sent))).toEqual([400, why])
  })

  test('with PolicyOverride also requires policy-override', async () => {
    const { holder, manager } = await aclScheduler()
    const sent = { Job: exampleJob(), PolicyOverride: true }
    const submit = await holder(granting(['submit-job']))
    expect(await failureOf(submit.client.post('jobs', sent))).toEqual(denied)
    expect(await failureOf(submit.client.post('job/example/plan', sent))).toEqual(denied)
    expect((await submit.client.post('jobs', { ...sent, PolicyOverride: false })).status).toBe(200)
    for (const name of ['policy-override', 'sentinel-override']) {
      const both = await holder(granting(['submit-job', name]))
      expect((await both.client.post('jobs', sent)).status).toBe(200)
    }
    expect((await manager.post('jobs', sent)).status).toBe(200)
    const write = await holder('namespace "default" { policy = "write" }')
    expect(await failureOf(write.client.post('jobs', sent))).toEqual(denied)
  })

  // choice/scheduler#job-anonymous-accessor
  test('stores the AccessorID of the caller in the job', async () => {
    const { holder, manager, scheduler: plain } = await aclScheduler()
    const { client, accessor } = await holder('namespace "default" { policy = "write" }')
    const token = async () => (await manager.get('job/example')).body.SchedTokenID
    await requireSuccess(client.post('jobs', { Job: exampleJob({ SchedTokenID: 'forged' }) }))
    expect(await token()).toBe(accessor)
    const { AccessorID } = (await manager.get('acl/token/self')).body
    // The caller is part of the job, so registering it as another caller creates a new version.
    await requireSuccess(manager.post('jobs', { Job: exampleJob() }))
    expect(await token()).toBe(AccessorID)
    expect((await manager.get('job/example')).body.Version).toBe(1)
    const anonymous = { Name: 'anonymous', Rules: 'namespace "default" { policy = "write" }' }
    await requireSuccess(manager.post('acl/policy/anonymous', anonymous))
    await requireSuccess(plain.post('jobs', { Job: exampleJob() }))
    expect(await token()).toBe('anonymous')
  })

  test('checks the namespace of the registered job', async () => {
    const { holder, manager } = await aclScheduler()
    await requireSuccess(manager.post('namespace', { Name: 'other' }))
    const { client } = await holder(granting(['submit-job'], 'other'))
    const job = exampleJob({ Namespace: 'other' })
    expect((await client.post('jobs', { Job: job })).status).toBe(200)
    expect((await client.post('jobs', { Job: exampleJob(), Namespace: 'other' })).status).toBe(200)
    expect((await client.post('jobs?namespace=other', { Job: exampleJob() })).status).toBe(200)
    expect(await failureOf(client.post('jobs?namespace=default', { Job: job }))).toEqual(denied)
  })

  test('a short word grants no more than the product’s: scale may not read jobs', async () => {
    const { holder, manager } = await aclScheduler()
    await requireSuccess(manager.post('jobs', { Job: exampleJob() }))
    const { client } = await holder('namespace "default" { policy = "scale" }')
    for (const path of ['jobs', 'job/example', 'allocations', 'job/example/versions']) {
      expect(await failureOf(client.get(path))).toEqual(denied)
    }
    expect((await client.get('scaling/policies')).status).toBe(200)
    expect((await client.get('job/example/scale')).status).toBe(200)
    const sent = { Count: 2, Target: { Group: 'cache' } }
    expect((await client.post('job/example/scale', sent)).status).toBe(200)
  })
})
