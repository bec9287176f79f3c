import { describe, expect, test } from 'vitest'
import { decisionOf } from '../../inspector/parts/policy-lines.ts'
import { comparedLines, withLineTexts } from '../../inspector/pure/compared-lines.ts'
import {
  itemGroups,
  type ServiceState,
  type StateItem,
  treeRows,
} from '../../inspector/pure/items.ts'
import { machineName } from '../../inspector/pure/machine-name.ts'
import {
  fillFingerprints,
  fingerprintsIn,
  hasSecretKeys,
  isSecretName,
  maskSecrets,
  secretCandidates,
} from '../../inspector/pure/secret.ts'
import { secretVersions } from '../../inspector/pure/secret-versions.ts'
import { expiryOf, statusOf, toneOf } from '../../inspector/pure/status-tone.ts'

const namespaces = { 'eu/': { id: 'n1', path: 'eu/' } }

describe('behaviour/program#inspector: the state as a tree', () => {
  const state: ServiceState = {
    tables: {
      namespaces,
      mounts: { 'root/secret/': { uuid: 'u1' }, 'n1/kv/': { uuid: 'u2' } },
      'kv2-keys': { 'u1/app/db': {}, 'u1/app/x/y': {}, 'u1/app-2': {} },
      'kv1-secrets': { 'u2/a': {} },
      policies: { 'root/app': { name: 'app' }, 'n1/app': { name: 'app' } },
    },
  }
  const visibleRows = (folded: readonly string[] = []) =>
    treeRows(itemGroups('secrets', state).slice(0, 3), new Set(folded)).map((row) => {
      const said = row.kind === 'item' ? row.item.path.at(-1) : `${row.name} (${row.count})`
      return `${'  '.repeat(row.level - 1)}${said}`
    })

  test('the tree shows mounts, folders and secrets, and namespaces with their contents', () => {
    expect(visibleRows()).toEqual([
      'secrets (3)',
      '  secret/ (3)',
      '    app-2',
      '    app/ (2)',
      '      db',
      '      x/ (1)',
      '        y',
      'secrets (version 1) (1)',
      '  eu/kv/ (1)',
      '    a',
      'policies (2)',
      '  app',
      '  eu/ (1)',
      '    app',
    ])
  })

  test('folded groups and folders hide their rows', () => {
    expect(visibleRows(['folder kv2-keys/secret/', 'group kv1-secrets', 'group policies'])).toEqual(
      ['secrets (3)', '  secret/ (3)', 'secrets (version 1) (1)', 'policies (2)'],
    )
  })

  test('jobs are shown below their namespaces', () => {
    const jobs = { 'default web': { Namespace: 'default', ID: 'web' } }
    const rows = treeRows(itemGroups('scheduler', { tables: { jobs } }), new Set())
    expect(rows.map(({ id }) => id)).toEqual([
      'group jobs',
      'folder jobs/default/',
      'jobs default web',
    ])
  })

  test('all versions of a secret are listed, including those without data', () => {
    const item = {
      row: {
        oldest_version: 0,
        versions: [{ deletion_time: 1 }, { destroyed: true }, { deletion_time: null }],
      },
      versions: [
        { table: 'kv2-data', key: 'u1/a\u00003', row: { data: '3' } },
        { table: 'kv2-data', key: 'u1/a\u00001', row: { data: '1' } },
      ],
    } as unknown as StateItem
    expect(
      secretVersions(item).map(({ number, state, dataRow }) => [number, state, !!dataRow]),
    ).toEqual([
      [3, '', true],
      [2, 'destroyed', false],
      [1, 'deleted', true],
    ])
    expect(secretVersions({ ...item, row: {} })).toEqual([])
  })

  test('the status, its tone and the expiry of a row are recognized', () => {
    expect([{ ClientStatus: 'lost' }, { Status: 'ready' }, { status: '' }].map(statusOf)).toEqual([
      'lost',
      'ready',
      undefined,
    ])
    expect(['lost', 'ready', 'blocked', 'complete'].map(toneOf)).toEqual(['bad', 'good', 'odd', ''])
    const rows = [
      { expire_time: 5 },
      { ExpirationTime: '1970-01-01T00:00:01Z' },
      { expires_at: null },
    ]
    expect(rows.map(expiryOf)).toEqual([5, 1000, undefined])
  })

  test('machines are shown by the names of their jobs and allocations', () => {
    const cluster = {
      tables: {
        allocations: { '0123456789': { Name: 'web.g[0]' } },
        deployments: { abcdefghij: { JobID: 'web' } },
      },
    }
    expect(machineName('scheduler.task', '0123456789:t', cluster)).toBe('web.g[0] t · 01234567')
    expect(machineName('scheduler.deployment', 'abcdefghij', cluster)).toBe('web · abcdefgh')
    expect(machineName('secrets.node', 'self', cluster)).toBe('self')
    expect(machineName('scheduler.node', 'x', undefined)).toBe('x')
  })
})

describe('behaviour/program#inspector: the deciding policy lines', () => {
  const row = (name: string, policy: string, namespace_path = '') => ({
    name,
    policy,
    namespace_path,
  })
  const state: ServiceState = {
    tables: {
      policies: {
        'root/a': row(
          'a',
          '# path "secret/data/x" {}\npath "secret/*" { capabilities = ["read"] }',
        ),
        'root/b': row('b', 'path "secret/data/*" { capabilities = ["deny"] }'),
        'root/c': row('c', 'path "secret/data/*" { capabilities = ["list"] }'),
        'n1/a': row('a', 'path "kv/x" { capabilities = ["read"] }', 'eu/'),
      },
    },
  }
  const decidingRules = (names: readonly string[], path: string, namespace?: string) => {
    const { deciding, overridden } = decisionOf(state, names, path, namespace)
    return [deciding, overridden].map((rules) =>
      rules.map(({ policy, line }) => `${policy} ${line}`),
    )
  }

  test('the most specific pattern of all policies decides, in every policy that contains it', () => {
    expect(decidingRules(['a', 'b', 'c'], 'secret/data/x')).toEqual([['b 1', 'c 1'], ['a 2']])
    expect(decidingRules(['a'], 'secret/data/x')).toEqual([['a 2'], []])
    expect(decidingRules(['a', 'b'], 'sys/x')).toEqual([[], []])
  })

  test('paths in policies of a namespace are relative to it', () => {
    expect(decidingRules(['a'], 'kv/x', 'eu/')).toEqual([['eu/a 1'], []])
    expect(decidingRules(['a'], 'kv/x')).toEqual([[], []])
  })
})

describe('behaviour/program#inspector: secrets are masked', () => {
  test('tokens and upload URLs are masked, also as keys and under harmless names', () => {
    expect(isSecretName('id', 'secrets.tokens')).toBe(true)
    expect(isSecretName('id', 'platform.users')).toBe(false)
    expect(['secrets.tokens', 'platform.objects', 'mesh.keys'].map(hasSecretKeys)).toEqual([
      true,
      true,
      false,
    ])
    expect(maskSecrets({ id: 's.1', parent: null, policies: ['a'] }, 'secrets.tokens')).toEqual({
      id: '••••••',
      parent: null,
      policies: ['a'],
    })
  })

  test('behaviour/program#bounds: values may be nested 10,000 levels deep', () => {
    const levels = 10_000
    const deep: unknown = JSON.parse(
      `${'{"a":'.repeat(levels)}"fp:0123456789ab"${'}'.repeat(levels)}`,
    )
    expect([...fingerprintsIn(deep)]).toEqual(['fp:0123456789ab'])
    expect([...secretCandidates(deep)]).toEqual(['a', 'fp:0123456789ab'])
    const body = `${'{"a":'.repeat(levels)}"fp:0123456789ab"${'}'.repeat(levels)}`
    const request = { method: 'POST', path: '/', headers: {}, body }
    const filled = fillFingerprints(request, new Map([['fp:0123456789ab', 'plain']]))
    const known = JSON.parse(String(filled.body))
    expect([...secretCandidates(known)]).toEqual(['a', 'plain'])
    expect([...secretCandidates(maskSecrets({ password: known, b: [deep] }, ''))]).toEqual([
      'password',
      'a',
      '••••••',
      'b',
      'fp:0123456789ab',
    ])
    const odd = '{"__proto__":{"x":1},"z":[],"y":"fp:0123456789ab"}'
    const unknown = new Map([['fp:000000000000', 'x']])
    expect(fillFingerprints({ ...request, body: odd }, unknown).body).toBe(odd)
  })

  test('a changed secret is marked as changed and stays masked', () => {
    const text = (value: unknown) => JSON.stringify(value, null, 1)
    const [before, after] = [
      { a: 1, password: 'x' },
      { a: 1, password: 'y' },
    ]
    const compared = comparedLines(text(before), text(after))
    const lines = withLineTexts(
      compared,
      text(maskSecrets(before, '')),
      text(maskSecrets(after, '')),
    )
    expect(lines.map((line) => `${line.kind}${line.text}`)).toEqual([
      'same{',
      'same "a": 1,',
      'gone "password": "••••••"',
      'new "password": "••••••"',
      'same}',
    ])
  })
})
