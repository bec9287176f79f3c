import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { matchingRules } from '../../inspector/parts/policy-lines.ts'
import { clientSnippets, maskTokens, rebaseOrigin } from '../../inspector/pure/client-snippets.ts'
import { commandLineOf } from '../../inspector/pure/command-line.ts'
import { comparedLines, withContext } from '../../inspector/pure/compared-lines.ts'
import { curlOf, queryText, type Sendable } from '../../inspector/pure/curl.ts'
import { diagramOf } from '../../inspector/pure/diagram.ts'
import { type FilterableEntry, matchesFilter } from '../../inspector/pure/filter.ts'
import { fixturesOf, itemGroups, searchItems, versionOf } from '../../inspector/pure/items.ts'
import { changedParts, innerName } from '../../inspector/pure/job-diff.ts'
import { logLines } from '../../inspector/pure/log-lines.ts'
import { fieldsOf, formValue } from '../../inspector/pure/schema-form.ts'
import {
  fillFingerprints,
  fingerprintsIn,
  isSecretName,
  secretCandidates,
} from '../../inspector/pure/secret.ts'
import { EventReader } from '../../inspector/pure/server-events.ts'
import {
  formatClock,
  formatDuration,
  formatMilliseconds,
  pluralize,
  showControlCharacters,
  timeOfDay,
  truncate,
} from '../../inspector/pure/text.ts'
import { rowForKey, scrollPosition, visibleRows } from '../../inspector/pure/visible-rows.ts'
import { readInspector } from '../../src/server/inspector-files.ts'

const request = (method: string, path: string, more: Partial<Sendable> = {}): Sendable => ({
  method,
  path,
  headers: {},
  ...more,
})

describe('behaviour/program#inspector: requests as commands', () => {
  test('curl commands have the relevant headers, and variables in place of tokens', () => {
    const headers = { host: 'a', accept: '*/*', 'x-vault-token': 'fp:0123456789ab' }
    const sent = request('POST', '/v1/secret/data/a', { headers, body: { a: "it's" } })
    const variables = new Map([['fp:0123456789ab', 'VAULT_TOKEN']])
    expect(curlOf(sent, 'http://x', variables)).toBe(
      [
        'curl http://x/v1/secret/data/a \\',
        '  -H "x-vault-token: $VAULT_TOKEN" \\',
        `  --data-raw '{"a":"it'\\''s"}'`,
      ].join('\n'),
    )
    expect(curlOf(request('LIST', '/v1/a?b=$(c)'), 'http://x')).toBe(
      "curl -X LIST 'http://x/v1/a?b=$(c)'",
    )
    expect(curlOf(request('HEAD', '/v1/sys/health'), '')).toBe('curl --head /v1/sys/health')
    expect(curlOf(request('GET', '/'), '', variables)).toBe('curl /')
  })

  test('no value escapes its shell quotes', () => {
    const variables = new Map([['fp:0123456789ab', 'T']])
    const headers = { a: 'fp:0123456789ab`x`$(y)"\\' }
    expect(curlOf(request('GET', '/', { headers }), '', variables)).toContain(
      '"a: $T\\`x\\`\\$(y)\\"\\\\"',
    )
  })

  test('queries can have several values of one name', () => {
    expect(queryText({})).toBe('')
    expect(queryText({ a: ['1', '2'], 'b c': '&' })).toBe('?a=1&a=2&b%20c=%26')
  })

  test.each([
    [
      'secrets',
      request('GET', '/v1/secret/data/a/b?version=2'),
      'vault kv get -mount=secret -version=2 a/b',
    ],
    ['secrets', request('DELETE', '/v1/secret/data/a'), 'vault kv delete -mount=secret a'],
    [
      'secrets',
      request('POST', '/v1/secret/data/a', { body: { data: { k: 'v w' }, options: { cas: 1 } } }),
      "vault kv put -mount=secret -cas=1 a 'k=v w'",
    ],
    [
      'secrets',
      request('PATCH', '/v1/secret/data/a', { body: { data: { k: [1] } } }),
      'vault kv patch -mount=secret a - <<\'EOF\'\n{"k":[1]}\nEOF',
    ],
    [
      'secrets',
      request('GET', '/v1/auth/token/lookup-self', { headers: { 'x-vault-namespace': 'ns' } }),
      'vault read -namespace=ns auth/token/lookup-self',
    ],
    ['secrets', request('LIST', '/v1/secret/metadata'), 'vault list secret/metadata'],
    ['secrets', request('GET', '/v1/secret/metadata?list=true'), 'vault list secret/metadata'],
    ['secrets', request('DELETE', '/v1/sys/mounts/x'), 'vault delete sys/mounts/x'],
    [
      'secrets',
      request('PATCH', '/v1/x', { body: { a: 1 } }),
      'vault patch x - <<\'EOF\'\n{"a":1}\nEOF',
    ],
    ['secrets', request('PUT', '/v1/sys/seal'), 'vault write sys/seal -force'],
    ['secrets', request('PUT', '/v1/x', { body: {} }), 'vault write x -force'],
    ['secrets', request('PUT', '/v1/x', { body: { a: true } }), 'vault write x a=true'],
    ['secrets', request('OPTIONS', '/v1/x'), undefined],
    ['secrets', request('GET', '/v1/%zz'), 'vault read %zz'],
    ['mesh', request('GET', '/v1/namespaces'), 'consul namespace list'],
    ['mesh', request('GET', '/v1/namespace/a'), 'consul namespace read a'],
    ['mesh', request('DELETE', '/v1/namespace/a'), 'consul namespace delete a'],
    [
      'mesh',
      request('PUT', '/v1/namespace', { body: { Name: 'a' } }),
      'consul namespace write - <<\'EOF\'\n{"Name":"a"}\nEOF',
    ],
    ['mesh', request('GET', '/v1/kv/a/b?recurse&ns=t'), 'consul kv get -namespace=t -recurse a/b'],
    ['mesh', request('GET', '/v1/kv/a?keys'), 'consul kv get -keys a'],
    ['mesh', request('PUT', '/v1/kv/a', { body: 'x y' }), "consul kv put a 'x y'"],
    ['mesh', request('DELETE', '/v1/kv/a'), 'consul kv delete a'],
    ['mesh', request('GET', '/v1/agent/self'), undefined],
    ['scheduler', request('GET', '/v1/jobs?namespace=a'), 'nomad job status -namespace=a'],
    ['scheduler', request('GET', '/v1/nodes'), 'nomad node status'],
    ['scheduler', request('GET', '/v1/job/web'), 'nomad job inspect web'],
    ['scheduler', request('GET', '/v1/allocation/a'), 'nomad alloc status a'],
    ['scheduler', request('DELETE', '/v1/job/web?purge=true'), 'nomad job stop -purge web'],
    [
      'scheduler',
      request('GET', '/v1/job/web/versions'),
      'nomad operator api /v1/job/web/versions',
    ],
    [
      'scheduler',
      request('POST', '/v1/jobs', { body: { Job: {} } }),
      'nomad operator api -X POST /v1/jobs <<\'EOF\'\n{"Job":{}}\nEOF',
    ],
    ['platform', request('GET', '/api/v2/ping'), undefined],
    ['platform', request('GET', '/v1/modules'), undefined],
  ])("the product's own command line: %s %j", (service, sent, expected) => {
    expect(commandLineOf(service, sent)).toBe(expected)
  })
})

describe('behaviour/program#inspector: forms from schemas', () => {
  const schema = {
    properties: {
      to: { enum: ['back', 'zero'], default: 'back', description: 'Where' },
      answers: { type: 'integer', minimum: 1, default: 5 },
      on: { type: 'boolean' },
      name: { type: 'string' },
      results: { type: 'object', properties: { passed: { type: 'integer' } } },
      match: {},
    },
  }
  const fields = fieldsOf(schema)

  test('each member has a field, including members of nested objects', () => {
    expect(fields.map(({ label, kind }) => `${label} ${kind}`)).toEqual([
      'to choice',
      'answers number',
      'on flag',
      'name text',
      'results.passed number',
      'match json',
    ])
    expect(fields[0]).toMatchObject({ options: ['back', 'zero'], defaultValue: 'back' })
    expect(fields[1]).toMatchObject({ minimum: 1, defaultValue: 5, description: '' })
    expect(fieldsOf({})).toEqual([])
  })

  test('empty fields are not sent', () => {
    expect(formValue(fields, { name: '' })).toEqual({})
    const draft = { answers: '2', on: 'false', 'results.passed': '1', match: '{"path":"/**"}' }
    expect(formValue(fields, draft)).toEqual({
      answers: 2,
      on: false,
      results: { passed: 1 },
      match: { path: '/**' },
    })
    expect(() => formValue(fields, { match: '{' })).toThrow('match is not JSON')
  })
})

describe('behaviour/program#inspector: long lists', () => {
  const list = { count: 10_000, rowHeight: 30, scrollTop: 0, viewHeight: 600 }

  test('only visible rows are drawn, at every scroll position', () => {
    for (const scrollTop of [0, 1, 29, 15_000, 299_400, 1_000_000, -5]) {
      const { from, to, offset, height } = visibleRows({ ...list, scrollTop })
      expect(to - from).toBeLessThanOrEqual(600 / 30 + 17)
      expect(offset).toBe(from * 30)
      expect(height).toBe(300_000)
      const top = Math.max(0, Math.min(scrollTop, 299_400))
      expect(from * 30).toBeLessThanOrEqual(top)
      expect(to * 30).toBeGreaterThanOrEqual(Math.min(300_000, top + 600))
    }
    expect(visibleRows({ ...list, count: 0 })).toEqual({ from: 0, to: 0, offset: 0, height: 0 })
  })

  test('arrow keys select rows and scroll to the selection', () => {
    expect(rowForKey('ArrowDown', -1, list)).toBe(0)
    expect(rowForKey('ArrowUp', 0, list)).toBe(0)
    expect(rowForKey('PageDown', 5, list)).toBe(24)
    expect(rowForKey('PageUp', 5, list)).toBe(0)
    expect(rowForKey('End', 5, list)).toBe(9999)
    expect(rowForKey('Home', 5, list)).toBe(0)
    expect(rowForKey('a', 5, list)).toBeUndefined()
    expect(rowForKey('End', 0, { ...list, count: 0 })).toBeUndefined()
    expect(scrollPosition(0, { ...list, scrollTop: 90 })).toBe(0)
    expect(scrollPosition(5, list)).toBe(0)
    expect(scrollPosition(20, list)).toBe(30)
  })
})

describe('behaviour/program#inspector: display of requests', () => {
  test('events are parsed from chunks cut at any byte', () => {
    const text =
      ': events\n\nevent: request\nid: 5\ndata: {"a":1}\n\nevent: clock\ndata: x\ndata: y\n\n'
    for (let at = 0; at <= text.length; at += 1) {
      const reader = new EventReader()
      expect([...reader.read(text.slice(0, at)), ...reader.read(text.slice(at))]).toEqual([
        { type: 'request', id: '5', data: '{"a":1}' },
        { type: 'clock', id: '', data: 'x\ny' },
      ])
    }
  })

  test('requests can be filtered by API, outcome and words', () => {
    const entry = {
      id: 'r1',
      service: 'secrets',
      outcome: 'refused',
      method: 'POST',
      path: '/v1/secret/data/App',
      operation: 'kv2WriteData',
      status: 400,
      rule: 'cas-mismatch',
      fault: null,
      caller: { id: 'fp:0', name: 'ada' },
    } as unknown as FilterableEntry
    const all = { service: '', outcome: '', text: '' }
    for (const text of ['', 'app', 'POST 400', 'cas ada', 'r1', 'KV2']) {
      expect(matchesFilter(entry, { ...all, text })).toBe(true)
    }
    expect(matchesFilter(entry, { ...all, text: 'app eve' })).toBe(false)
    expect(matchesFilter(entry, { ...all, service: 'mesh' })).toBe(false)
    expect(matchesFilter(entry, { ...all, outcome: 'served' })).toBe(false)
    expect(matchesFilter(entry, { ...all, outcome: 'failed' })).toBe(true)
  })

  test('a comparison of two texts shows the changed lines and a few around them', () => {
    const kinds = (before?: string, after?: string) =>
      comparedLines(before, after).map(({ kind, text }) => `${kind} ${text}`)
    expect(kinds('a\nb\nc', 'a\nx\nc')).toEqual(['same a', 'gone b', 'new x', 'same c'])
    expect(kinds(undefined, 'a')).toEqual(['new a'])
    expect(kinds('a', undefined)).toEqual(['gone a'])
    expect(kinds('a\nb', 'b\na').length).toBe(3)
    const long = 'x\n'.repeat(2_000)
    expect(comparedLines(long, long).length).toBe(4_002)
    const many = comparedLines('1\n2\n3\n4\n5\n6\n7\n8\n9', '1\n2\n3\n4\n5\n6\n7\n8\n!')
    expect(withContext(many).map((line) => line?.text ?? '⋯')).toEqual([
      '⋯',
      '6',
      '7',
      '8',
      '9',
      '!',
    ])
  })

  test('fingerprints in a request are found and replaced by their values, if known', () => {
    const [text, number, unknown] = ['fp:0123456789ab', 'fp:ba9876543210', 'fp:000000000000']
    const request = {
      method: 'PUT',
      path: `/v1/a?token=fp%3A0123456789ab`,
      headers: { authorization: `Bearer ${text}`, other: unknown },
      body: `{"${number}":"${text}","n":["${number}","is ${text}"],"big":12345678901234567890}`,
    }
    expect([...fingerprintsIn(request)]).toEqual([text, unknown, number])
    const values = new Map<string, string | number>([
      [text, 'a "b"&c'],
      [number, 7],
    ])
    const filled = fillFingerprints(request, values)
    expect(filled).toEqual({
      method: 'PUT',
      path: '/v1/a?token=a%20%22b%22%26c',
      headers: { authorization: 'Bearer a "b"&c', other: unknown },
      body: String.raw`{"7":"a \"b\"&c","n":[7,"is a \"b\"&c"],"big":12345678901234567890}`,
    })
    expect([...fingerprintsIn(filled)]).toEqual([unknown])
    expect(fillFingerprints({ ...request, body: `k=${number}` }, values).body).toBe('k=7')
  })

  test('candidates for secrets include values inside texts that hold JSON', () => {
    expect([...secretCandidates({ a: ['b', { c: null }], d: 1 })]).toEqual(['a', 'b', 'c', 'd', 1])
    expect([...secretCandidates(['{"a":{"b":"c"}}', '[2]'])]).toContain('c')
    expect([...secretCandidates(['{"a":{"b":"c"}}', '[2]', '[no'])]).toContain(2)
    expect(secretCandidates(['a', 'b', 'c'], 2).size).toBe(2)
  })

  test.each(['token', 'client_token', 'password', 'SecretID', 'rootToken', 'private_key', 'data'])(
    '%s is hidden until it is clicked',
    (name) => expect(isSecretName(name)).toBe(true),
  )

  test('times, durations and long texts are shortened', () => {
    expect(timeOfDay('2026-01-01T10:20:30.5Z')).toBe('10:20:30.5')
    expect(timeOfDay('never')).toBe('never')
    expect([0.5, 12.34, 345.6, 12_345].map(formatMilliseconds)).toEqual([
      '0.50 ms',
      '12.3 ms',
      '346 ms',
      '12.3 s',
    ])
    expect([0, 1500, 59_999, 90_061_001].map(formatDuration)).toEqual([
      '0 s',
      '1 s 500 ms',
      '1 m',
      '1 d 1 h',
    ])
    expect([1, 2].map((count) => pluralize(count, 'hit'))).toEqual(['1 hit', '2 hits'])
    expect(formatClock('2026-01-01T10:20:30Z')).toBe('2026-01-01 10:20:30')
    expect(truncate('abc', 3)).toBe('abc')
    expect(truncate('abcd', 3)).toBe('abc… (4 characters)')
    expect(showControlCharacters('a\u0000\u001fb')).toBe('a · b')
  })
})

describe('behaviour/program#inspector: the state of services', () => {
  const state = {
    tables: {
      indexes: { a: { index: 1 } },
      mounts: { 'root/secret/': { uuid: 'u1' } },
      'kv2-keys': { 'u1/app/db-2': { current_version: 2 }, 'gone/x': {} },
      'kv2-data': { 'u1/app/db-2\u00001': { data: '1' }, 'u1/app/db-2\u000010': { data: '10' } },
      tokens: { t: { display_name: 'ada', accessor: 'acc' }, u: {} },
      empty: {},
    },
  }

  test('items are grouped by kind, under familiar names, with their versions', () => {
    const groups = itemGroups('secrets', state)
    expect(groups.map(({ title, items }) => `${title} ${items.length}`)).toEqual([
      'secrets 2',
      'tokens 2',
      'mounts 1',
      'indexes 1',
    ])
    const [secrets, tokens] = groups
    expect(secrets?.items.map(({ title }) => title)).toEqual(['gone/x', 'secret/app/db-2'])
    expect(secrets?.items[1]?.versions.map(versionOf)).toEqual([10, 1])
    expect(tokens?.items.map(({ title }) => title)).toEqual(['2', 'ada · acc'])
    // The key of a token is the token itself, so it must not appear in an address.
    expect(tokens?.items.map(({ id }) => id)).toEqual(['tokens 2', 'tokens ada · acc'])
    const named = { tables: { nodes: { '2ae5c3d4-bd33-47db-87b1-52e1c6cbbdcc': { Name: 'n' } } } }
    expect(itemGroups('scheduler', named)[0]?.items[0]?.title).toMatch(/^n · 2ae5/)
  })

  test('a test run is found by its id', () => {
    const runs = { tables: { 'test-runs': { 'mod-1/09': { id: 'trun-1', status: 'finished' } } } }
    expect(itemGroups('platform', runs)[0]?.items[0]?.title).toBe('trun-1')
  })

  test('the log of a test run is shown line by line', () => {
    const line = { '@level': 'info', '@message': 'Success!', '@timestamp': '2026-01-01T10:20:30Z' }
    expect(logLines(`\u0002${JSON.stringify(line)}\nplain\n\u0003`)).toEqual([
      { time: '10:20:30', level: 'info', message: 'Success!' },
      { time: '', level: '', message: 'plain' },
    ])
    expect(logLines('\u0002\u0003')).toEqual([])
  })

  test('a job comparison shows only the changed fields', () => {
    const field = (Type: string, Name: string, Old: string, New: string) => {
      return { Type, Name, Old, New, Annotations: null }
    }
    const image = field('Edited', 'image', 'redis:7', 'redis:8')
    const same = field('None', 'Driver', 'docker', 'docker')
    const config = { Type: 'Edited', Name: 'Config', Fields: [image, same], Objects: null }
    const task = {
      Type: 'Edited',
      Name: 'redis',
      Fields: null,
      Objects: [config],
      Annotations: null,
    }
    const rest = { Type: 'None', Name: 'x', Fields: null, Objects: null, Annotations: null }
    const group = {
      Type: 'Edited',
      Name: 'cache',
      Fields: [field('Added', 'Count', '', '2')],
      Objects: null,
      Tasks: [task, rest],
      Updates: null,
    }
    const diff = { Type: 'Edited', ID: 'web', Fields: null, Objects: null, TaskGroups: [group] }
    const changed = changedParts(diff)
    expect(changed).toEqual([
      {
        kind: 'edited',
        name: 'group cache',
        parts: [
          { kind: 'added', name: 'Count', values: ['', '2'], parts: [] },
          {
            kind: 'edited',
            name: 'task redis',
            parts: [
              {
                kind: 'edited',
                name: 'Config',
                parts: [
                  { kind: 'edited', name: 'image', values: ['redis:7', 'redis:8'], parts: [] },
                ],
              },
            ],
          },
        ],
      },
    ])
    expect(innerName('Env[DB_PASSWORD]')).toBe('DB_PASSWORD')
    expect(innerName('image')).toBe('image')
  })

  test('items are found by words and exported as fixtures', () => {
    const found = searchItems(itemGroups('secrets', state), 'secrets APP')
    expect(found.flatMap(({ items }) => items.map(({ title }) => title))).toEqual([
      'secret/app/db-2',
    ])
    expect(fixturesOf('secrets', found[0]?.items ?? [])).toEqual({
      secrets: {
        tables: {
          'kv2-keys': { 'u1/app/db-2': { current_version: 2 } },
          'kv2-data': state.tables['kv2-data'],
        },
      },
    })
  })

  test('the most specific matching line of a policy is found', () => {
    const policy = [
      'path "secret/*" { capabilities = ["list"] }',
      'path "secret/+/app" { capabilities = ["deny"] }',
      'path "secret/data/app" {',
      '  capabilities = ["read", "update"]',
      '}',
      'path "other" { }',
    ].join('\n')
    const fitting = (path: string) => matchingRules(policy, path).map(({ line }) => line)
    expect(fitting('secret/data/app')).toEqual([3, 2, 1])
    expect(fitting('secret/data/x')).toEqual([1])
    expect(fitting('secret')).toEqual([])
    expect(matchingRules(policy, 'other')[0]?.capabilities).toEqual([])
    const commented = `\n\n# path "a" { }\n\n  // path "a" { }\npath "a" { }`
    expect(matchingRules(commented, 'a').map(({ line }) => line)).toEqual([6])
  })
})

describe('behaviour/program#inspector: machines and clients', () => {
  test('states form a row, and arcs lead from the current state to the allowed ones', () => {
    const { states, arcs, width, baseline } = diagramOf(['a', 'b', 'c'], 'b', ['a', 'b', 'x'])
    expect(
      states.map(({ name, isCurrent, isReachable }) => [name, isCurrent, isReachable]),
    ).toEqual([
      ['a', false, true],
      ['b', true, false],
      ['c', false, false],
    ])
    expect(arcs.map(([to]) => to)).toEqual(['a'])
    expect(arcs[0]?.[1]).toContain(` ${baseline} C`)
    expect(width).toBe(450)
    expect(diagramOf(['a'], 'other', []).states.map(({ name }) => name)).toEqual(['other', 'a'])
  })

  test('tokens in client commands are hidden, but addresses are not', () => {
    const env = { VAULT_ADDR: 'http://root.example', VAULT_TOKEN: 'root', TFE_TOKEN: "o'w" }
    const [vault, , , curl] = clientSnippets(env)
    expect(vault?.[1]).toBe(
      'export VAULT_ADDR=http://root.example\nexport VAULT_TOKEN=root\nvault status',
    )
    expect(maskTokens(vault?.[1] ?? '', env)).toBe(
      'export VAULT_ADDR=http://root.example\nexport VAULT_TOKEN=••••••\nvault status',
    )
    expect(maskTokens(curl?.[1] ?? '', env)).not.toContain("o'w")
  })

  test('addresses keep the prefix of the proxy that served the page', () => {
    const text = 'A=http://h:80 B=http://h:80/_world/w C=http://h:8080'
    expect(rebaseOrigin(text, 'http://h:80', '/team')).toBe(
      'A=http://h:80/team B=http://h:80/team/_world/w C=http://h:8080',
    )
  })
})

describe('behaviour/program#inspector: the build', () => {
  const files = readInspector()

  test('the build has one page, one script and one style sheet, all small and with hashed names', () => {
    expect([...files.keys()].map((name) => name.replace(/-\w+\./, '.')).sort()).toEqual([
      'index.html',
      'main.js',
      'style.css',
    ])
    const sizes = [...files.values()].map(({ bytes }) => gzipSync(bytes).length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150 * 1024)
  })

  test('the page links its files by relative URLs and has no inline code', () => {
    const page = String(files.get('index.html')?.bytes)
    const named = [...page.matchAll(/(?:src|href)="(?!data:)([^"]*)"/g)].map(([, path]) => path)
    expect(named.sort()).toEqual(
      [...files.keys()].filter((name) => name !== 'index.html').map((name) => `ui/${name}`),
    )
    expect(page).not.toMatch(/<script[^>]*>[^<]|<style|\son\w+=/)
  })
})
