import { setTimeout } from 'node:timers/promises'
import type { ComparedRequest, ReplyVariable, Target } from '../../../src/cli/compare/request.ts'
import { asRoot, type Call, unknownId } from './fixture.ts'

/** Variables of the sequences: the first and the second session. */
export const lockVariables: readonly ReplyVariable[] = [
  {
    name: '$first',
    operationPattern: /^first session$/,
    memberPath: ['ID'],
    initialValue: unknownId,
  },
  {
    name: '$second',
    operationPattern: /^second session$/,
    memberPath: ['ID'],
    initialValue: unknownId,
  },
]

/** Registers the node of the sequences with checks of these statuses, by ID. */
function register(statuses: Readonly<Record<string, string>>, members: object = {}): Call {
  const Checks = Object.entries(statuses).map(([id, Status]) => ({
    ...{ Node: 'oracle-n', CheckID: id, Name: id, Status },
    ...(id === 'of-service' && { ServiceID: 'oracle-s' }),
  }))
  return ['PUT', 'catalog/register', { Node: 'oracle-n', Address: '10.0.0.1', Checks, ...members }]
}

const withService = { Service: { ID: 'oracle-s', Service: 'oracle-s' } }

/**
 * Returns a request that creates a session of the node with a short lock delay. A delay below
 * 1,000 ns would count as seconds.
 */
function session(which: 'first' | 'second', members: object): ComparedRequest {
  const body = { Node: 'oracle-n', LockDelay: '1ms', ...members }
  return asRoot(`${which} session`, 'PUT', 'session/create', body)
}

/** Reads that show what a change did to sessions and to the keys that they lock. */
const look: readonly Call[] = [
  ['GET', 'kv/oracle?recurse'],
  ['GET', 'session/info/$first'],
  ['GET', 'session/info/$second'],
  ['GET', 'session/node/oracle-n'],
]

const acquire = (which: string): Call => ['PUT', `kv/oracle/a?acquire=$${which}`, which]
const release = (which: string): Call => ['PUT', `kv/oracle/a?release=$${which}`, 'released']

/** Ends of a session that holds a lock, by their name. */
const ends: Readonly<Record<string, readonly Call[]>> = {
  destroyed: [['PUT', 'session/destroy/$first']],
  'check fails': [register({ c: 'critical' })],
  'check warns': [register({ c: 'warning' })],
  'check goes': [['PUT', 'catalog/deregister', { Node: 'oracle-n', CheckID: 'c' }]],
  'check of a service fails': [register({ 'of-service': 'critical' })],
  'service goes': [['PUT', 'catalog/deregister', { Node: 'oracle-n', ServiceID: 'oracle-s' }]],
  'node goes': [['PUT', 'catalog/deregister', { Node: 'oracle-n' }]],
  renewed: [['PUT', 'session/renew/$first']],
}

/** Sessions that depend on different checks. */
const holders: readonly object[] = [
  { NodeChecks: ['c'] },
  { NodeChecks: ['c'], Behavior: 'delete' },
  { ServiceChecks: [{ ID: 'of-service' }], NodeChecks: [] },
  { Checks: ['c'], TTL: '20s' },
]

/** Requests with two sessions about one key. */
const contention: readonly Call[] = [
  ...[acquire('first'), acquire('first'), acquire('second'), release('second'), acquire('first')],
  ['PUT', 'kv/oracle/a', 'plain'],
  ['PUT', 'kv/oracle/a?cas=1', 'cas'],
  ['PUT', `kv/oracle/a?acquire=${unknownId}`, 'x'],
  ['PUT', `kv/oracle/a?release=${unknownId}`, 'x'],
  ['PUT', 'kv/oracle/a?acquire=x', 'x'],
  ['PUT', 'kv/oracle/a?acquire=$first&release=$first', 'x'],
  ['PUT', 'kv/oracle/a?acquire=$first&cas=0', 'x'],
  ['PUT', 'kv/oracle/a?acquire=', 'x'],
  ...[release('first'), release('first'), acquire('second'), acquire('first')],
  ['DELETE', 'kv/oracle/a'],
  acquire('first'),
  ['DELETE', 'kv/oracle?recurse'],
  ...[acquire('first'), release('first'), acquire('second')],
]

function operation(Verb: string, members: object = {}) {
  return { KV: { Verb, Key: 'oracle/a', Value: 'YQ==', ...members } }
}

const transactions: readonly Call[] = [
  [operation('lock', { Session: '$first' })],
  [operation('lock', { Session: '$second' })],
  [operation('check-session', { Session: '$first' })],
  [operation('check-session', { Session: '$second' })],
  [operation('unlock', { Session: '$second' })],
  [operation('unlock', { Session: '$first' }), operation('lock', { Session: '$second' })],
  [operation('lock', { Session: unknownId })],
  [operation('lock')],
  [operation('lock', { Session: '$second' }), operation('get')],
].map((operations): Call => ['PUT', 'txn', operations])

/** Sessions that are refused, or have unusual members. */
const bodies: readonly object[] = [
  { Node: 'oracle-n', NodeChecks: ['c'] },
  { Node: 'oracle-n', NodeChecks: ['bad'] },
  { Node: 'oracle-n', NodeChecks: ['none'] },
  { Node: 'oracle-n', Checks: ['bad'] },
  { Node: 'oracle-n', Checks: ['none'] },
  { Node: 'oracle-n', ServiceChecks: [{ ID: 'none' }] },
  { Node: 'oracle-n', ServiceChecks: [{ ID: 'of-service' }] },
  { Node: 'oracle-n', ServiceChecks: [{}] },
  { Node: 'oracle-n', Behavior: 'keep' },
  { Node: 'oracle-n', TTL: '1s' },
  { Node: 'oracle-n', TTL: '25h' },
  { Node: 'oracle-n', TTL: 'x' },
  { Node: 'oracle-n', LockDelay: '61s' },
  { Node: 'oracle-n', LockDelay: 20 },
  { Node: 'oracle-n', LockDelay: 'x' },
  { Node: 'oracle-n', Checks: 'c' },
]

/** Returns the calls as requests, each followed by the reads in `look`. */
function observed(name: string, calls: readonly Call[]): readonly ComparedRequest[] {
  return calls.flatMap((call) => [
    asRoot(`${name}: ${call[0]} ${call[1]}`, ...call),
    ...look.map((read) => asRoot(`${name}: after ${call[0]} ${call[1]}, ${read[1]}`, ...read)),
  ])
}

const begin: readonly ComparedRequest[] = [
  asRoot('set up', ...register({ c: 'passing' })),
  asRoot('set up', ...register({ 'of-service': 'passing', bad: 'critical' }, withService)),
]

const end: readonly ComparedRequest[] = [
  asRoot('clean up', 'DELETE', 'kv/oracle?recurse'),
  asRoot('clean up', 'PUT', 'session/destroy/$first'),
  asRoot('clean up', 'PUT', 'session/destroy/$second'),
  asRoot('clean up', 'PUT', 'catalog/deregister', { Node: 'oracle-n' }),
]

/** Returns sequences about sessions, the keys that they lock and the checks that they depend on. */
export function lockSequences(): readonly (readonly ComparedRequest[])[] {
  const endings = holders.flatMap((holder) =>
    Object.entries(ends).map(([name, calls]) => {
      const title = `${name} of ${JSON.stringify(holder)}`
      const first = [session('first', holder), session('second', { NodeChecks: [] })]
      const after = [acquire('second'), acquire('first'), ...calls, acquire('first')]
      return [...first, ...observed(title, [acquire('first'), ...calls, ...after])]
    }),
  )
  const both = [session('first', { NodeChecks: [] }), session('second', { NodeChecks: [] })]
  const refused = bodies.map((body) => {
    const name = `session/create ${JSON.stringify(body)}`
    return [
      asRoot(`first session`, 'PUT', 'session/create', body),
      asRoot(name, 'PUT', 'session/create', { ...body, Name: 'oracle' }),
    ]
  })
  const delayed = [
    session('first', { NodeChecks: ['c'], LockDelay: '30s' }),
    session('second', { NodeChecks: [] }),
    ...observed('delay', [acquire('first'), register({ c: 'critical' }), acquire('second')]),
  ]
  const sequences = [
    ...endings,
    [...both, ...observed('contention', contention)],
    [...both, ...observed('transactions', transactions)],
    refused.flat(),
    delayed,
  ]
  return sequences.map((requests) => [...begin, ...requests, ...end])
}

/**
 * Waits after a request that may end a session. Until the delay of its locks is over, nobody
 * acquires them, and even the shortest delay takes a moment.
 */
export async function waitForDelay(_target: Target, { path }: ComparedRequest): Promise<void> {
  if (/^(?:session\/destroy|catalog)\//.test(path)) await setTimeout(20)
}
