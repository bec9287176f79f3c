import { describe, expect, test } from 'vitest'
import { blockingReader, drainEventLoop } from '../../../support/blocked-reads.ts'
import { type MeshClient, mesh } from '../../../support/mesh/mesh.ts'
import { meshWithAcls } from '../../../support/mesh/mesh-acl.ts'

const waiting = blockingReader('x-mesh-index')

async function create(client: MeshClient, body: object): Promise<string> {
  const { status, text } = await client.post('query', body)
  expect([status, text]).toEqual([200, text])
  return JSON.parse(text).ID
}

/** Registers an instance of `web` whose check has a status. */
async function registerInstance(client: MeshClient, ID: string, status: string, more: object = {}) {
  const Check = { CheckID: `c-${ID}`, TTL: '1h', Status: status }
  await client.put('agent/service/register', { ID, Name: 'web', ...more, Check })
}

/** Returns the IDs of the instances that a query finds, in order of the IDs. */
async function found(client: MeshClient, query: string): Promise<readonly string[]> {
  const { body } = await client.get(`query/${query}`)
  return body.Nodes.map(({ Service }: { Service: { ID: string } }) => Service.ID).sort()
}

/** Returns an expression as texts of templates contain it. */
const expression = (text: string) => `\${${text}}`

const template = { Type: 'name_prefix_match' }

describe('behaviour/mesh#queries', () => {
  test('empty tags and metadata are null, except for those of the server', async () => {
    const { mesh: client } = await mesh()
    await registerInstance(client, 'a', 'passing')
    for (const Service of ['web', 'mesh'])
      await create(client, { Name: Service, Service: { Service } })
    const first = async (query: string) =>
      (await client.get(`query/${query}/execute`)).body.Nodes[0]
    const { Service, Checks } = await first('web')
    expect([Service.Tags, Service.Meta]).toEqual([null, null])
    expect(Checks.map(({ ServiceTags }: { ServiceTags: unknown }) => ServiceTags)).toEqual([
      null,
      null,
    ])
    expect((await first('mesh')).Service.Tags).toEqual([])
  })

  test('a template that renders no name finds nothing', async () => {
    const { mesh: client } = await mesh()
    const Template = { ...template, Regexp: '^re-(.*)$' }
    await create(client, { Name: 're', Template, Service: { Service: expression('match(1)') } })
    expect(await found(client, 're/execute')).toEqual([])
    expect(await found(client, 're-mesh/execute')).toEqual(['mesh'])
  })

  test('a query finds instances by health, tags and metadata', async () => {
    const { mesh: client } = await mesh()
    await registerInstance(client, 'a', 'passing', { Tags: ['X', 'y'], Meta: { v: '1' } })
    await registerInstance(client, 'b', 'warning', { Tags: ['x'] })
    await registerInstance(client, 'c', 'critical')
    const query = (Name: string, service: object) =>
      create(client, { Name, Service: { Service: 'web', ...service } })
    await query('all', {})
    await query('passing', { OnlyPassing: true })
    await query('ignoring', { IgnoreCheckIDs: ['c-c'] })
    await query('tags', { Tags: ['x', '!Y'] })
    await query('meta', { ServiceMeta: { v: '1' }, NodeMeta: { 'mesh-network-segment': '' } })
    await query('proxies', { Connect: true })
    expect(await found(client, 'all/execute')).toEqual(['a', 'b'])
    expect(await found(client, 'passing/execute')).toEqual(['a'])
    expect(await found(client, 'ignoring/execute')).toEqual(['a', 'b', 'c'])
    expect(await found(client, 'tags/execute')).toEqual(['b'])
    expect(await found(client, 'meta/execute')).toEqual(['a'])
    expect(await found(client, 'proxies/execute')).toEqual([])
    expect((await found(client, 'all/execute?limit=1')).length).toBe(1)
    expect(await found(client, 'all/execute?connect=true')).toEqual([])
    const { body, headers } = await client.get('query/proxies/execute')
    expect(headers['x-mesh-index']).toBe('1')
    expect(body).toEqual({
      ...{ Service: 'web', Namespace: 'default', Nodes: [], DNS: { TTL: '' } },
      ...{ Datacenter: 'dc1', PeerName: '', Failovers: 0, Index: 1, LastContact: 0 },
      ...{ KnownLeader: true, ConsistencyLevel: 'leader', NotModified: false, Backend: 0 },
      ResultsFilteredByACLs: false,
    })
  })

  test('a query without instances fails over to each of its peers, and the last one is named', async () => {
    const { mesh: client } = await mesh()
    const Targets = [{ Peer: 'east' }, { Datacenter: 'dc9' }, { Peer: 'west' }]
    await create(client, { Name: 'over', Service: { Service: 'web', Failover: { Targets } } })
    await create(client, { Name: 'far', Service: { Service: 'web', Failover: { NearestN: 2 } } })
    const outcome = async (name: string) => {
      const { Datacenter, PeerName, Failovers } = (await client.get(`query/${name}/execute`)).body
      return { Datacenter, PeerName, Failovers }
    }
    const own = { Datacenter: 'dc1', PeerName: '', Failovers: 0 }
    expect(await outcome('over')).toEqual({ Datacenter: '', PeerName: 'west', Failovers: 2 })
    expect(await outcome('far')).toEqual(own)
    await registerInstance(client, 'a', 'passing')
    expect(await outcome('over')).toEqual(own)
  })

  test('the longest template that begins a name is rendered with it', async () => {
    const { mesh: client } = await mesh()
    await create(client, { Template: template, Service: { Service: expression('name.full') } })
    await create(client, {
      Name: 'geo-',
      Template: { ...template, Regexp: '^geo-(.*?)-([^-]+)$', RemoveEmptyTags: true },
      Service: {
        Service: expression('match(1)'),
        Near: `$${expression('x')}${expression('"y"')}`,
        Tags: [
          expression('match(2)'),
          expression('match(9)'),
          `${expression('name.prefix')}|${expression('name.suffix')}${expression('agent.segment')}`,
        ],
      },
    })
    const explained = async (name: string) =>
      (await client.get(`query/${name}/explain`)).body.Query.Service
    expect(await explained('geo-web-x')).toMatchObject({
      Service: 'web',
      Near: `${expression('x')}y`,
      Tags: ['x', 'geo-|web-x'],
    })
    expect((await explained('other')).Service).toBe('other')
    await create(client, { Name: 'other', Service: { Service: 'exact' } })
    expect((await explained('other')).Service).toBe('exact')
  })

  test('refusals of bad queries name the error and store nothing', async () => {
    const { mesh: client } = await mesh({ options: { edition: 'community' } })
    await create(client, { Name: 'taken', Service: { Service: 'w' } })
    const w = { Name: 'a', Service: { Service: 'w' } }
    const templated = (Service: string) => ({ Name: 't', Template: template, Service: { Service } })
    const invalid = (problem: string) => [500, `Invalid prepared query: ${problem}`]
    const refused = (problem: string) => [500, `raft apply failed: ${problem}`]
    const bad = (problem: string) => refused(`failed compiling template: ${problem}`)
    const cases: readonly (readonly [unknown, unknown])[] = [
      ['', [400, 'Request decode failed: EOF']],
      [{ Bogus: 1 }, [400, 'Request decode failed: json: unknown field "Bogus"']],
      [
        { Service: { Service: 3 } },
        [
          400,
          'Request decode failed: json: cannot unmarshal number into Go struct field ServiceQuery.Service.Service of type string',
        ],
      ],
      [{ ID: 'x' }, [500, 'ID must be empty when creating a new prepared query']],
      [{ Service: w.Service }, invalid('Must be bound to a session')],
      [{ Name: 'a' }, invalid('Must provide a Service name to query')],
      [
        { ...w, Service: { Service: 'w', Failover: { NearestN: -1 } } },
        invalid("Bad NearestN '-1', must be >= 0"),
      ],
      [{ ...w, DNS: { TTL: '-1s' } }, invalid("DNS TTL '-1000000000', must be >=0")],
      [{ ...w, DNS: { TTL: 'x' } }, invalid('Bad DNS TTL \'x\': time: invalid duration "x"')],
      [
        { ...w, Token: '<hidden>' },
        invalid(
          "Bad Token '<hidden>', it looks like a query definition with a redacted token was submitted",
        ),
      ],
      [{ ...w, Session: 'x' }, refused('invalid session "x"')],
      [{ ...w, Name: 'taken' }, refused("name 'taken' aliases an existing query name")],
      [{ ...w, Template: { Type: 'x' } }, bad("Bad Template.Type 'x'")],
      [
        { ...templated('x'), Template: { ...template, Regexp: '(' } },
        bad('Bad Regexp: error parsing regexp: missing closing ): `(`'),
      ],
      [
        templated('${'),
        bad(
          "Bad format '${' in Service.Service: parse error at 1:3: expected expression but found end of string",
        ),
      ],
      [
        templated(expression('nme')),
        bad(
          `Bad evaluation for '${expression('nme')}' in Service.Service: 1:3: unknown variable accessed: nme`,
        ),
      ],
      [
        templated(expression('match(1,2)')),
        bad(
          `Bad evaluation for '${expression('match(1,2)')}' in Service.Service: 1:3: match: expected 1 arguments, got 2`,
        ),
      ],
    ]
    for (const [body, expected] of cases) {
      const { status, text } = await client.post('query', body as object)
      expect([status, text]).toEqual(expected)
    }
    expect((await client.get('query')).body.length).toBe(1)
  })

  test('queries are read, replaced and deleted by their IDs', async () => {
    const { mesh: client } = await mesh()
    const ID = await create(client, { Name: 'a', Service: { Service: 'w' }, DNS: { TTL: '9s' } })
    const { body } = await client.get(`query/${ID}`)
    expect(body).toEqual([
      {
        ...{ ID, Name: 'a', Session: '', Token: '' },
        Template: { Type: '', Regexp: '', RemoveEmptyTags: false },
        Service: {
          ...{ Service: 'w', SamenessGroup: '' },
          Failover: { NearestN: 0, Datacenters: null, Targets: null },
          ...{ OnlyPassing: false, IgnoreCheckIDs: null, Near: '', Tags: null, NodeMeta: null },
          ...{ ServiceMeta: null, Connect: false, Peer: '' },
        },
        DNS: { TTL: '9s' },
        CreateIndex: expect.any(Number),
        ModifyIndex: expect.any(Number),
      },
    ])
    const read = await waiting(client, `query/${ID}?index=${body[0].ModifyIndex}`)
    const replaced = await client.put(`query/${ID}`, { Name: 'b', Service: { Service: 'v' } })
    expect([replaced.status, replaced.text]).toEqual([200, ''])
    await drainEventLoop()
    expect(read.reply?.body[0].Name).toBe('b')
    expect((await client.get('query/a/execute')).status).toBe(404)
    expect((await client.delete(`query/${ID}`)).text).toBe('')
    const none = '11111111-2222-3333-4444-555555555555'
    const answers = []
    for (const [method, url] of [
      ['GET', `query/${ID}`],
      ['GET', 'query/x'],
      ['DELETE', 'query/x'],
      ['DELETE', `query/${none}`],
      ['GET', 'query/x/execute'],
      ['PUT', 'query/x/execute'],
      ['GET', 'query/x/execute?limit=z'],
    ] as const) {
      const { status, text } = await client.request(method, url)
      answers.push([status, text])
    }
    const invalid = 'failed prepared query lookup: index error: UUID must be 36 characters'
    expect(answers).toEqual([
      [404, 'Query not found'],
      [500, invalid],
      [500, `Prepared Query lookup failed: ${invalid}`],
      [500, `Cannot modify non-existent prepared query: '${none}'`],
      [404, 'Query not found'],
      [405, 'method PUT not allowed'],
      [500, 'Bad limit: strconv.Atoi: parsing "z": invalid syntax'],
    ])
  })

  test('a query ends with its session', async () => {
    const { mesh: client } = await mesh()
    const session = (await client.put('session/create', {})).body.ID
    await create(client, { Session: session, Service: { Service: 'w' } })
    await client.put(`session/destroy/${session}`)
    expect((await client.get('query')).body).toEqual([])
  })

  test('names protect queries, results are filtered, and tokens are hidden', async () => {
    const { manager, clientWithRules } = await meshWithAcls()
    await registerInstance(manager, 'a', 'passing')
    const reader = await clientWithRules('query "q" { policy = "read" }')
    const other = await clientWithRules('query "r" { policy = "write" }')
    const ID = await create(manager, { Name: 'q', Token: 'secret', Service: { Service: 'web' } })
    const session = (await manager.put('session/create', {})).body.ID
    await create(manager, { Session: session, Service: { Service: 'web' } })
    await create(manager, { Name: 'open', Service: { Service: 'web' } })
    const list = await reader.get('query')
    expect(
      list.body.map(({ Name, Token }: { Name: string; Token: string }) => [Name, Token]),
    ).toEqual([['q', '<hidden>']])
    expect(list.headers['x-mesh-results-filtered-by-acls']).toBe('true')
    expect((await manager.get(`query/${ID}`)).body[0].Token).toBe('secret')
    const denied = [403, 'Permission denied']
    for (const url of [`query/${ID}`, 'query/q/explain']) {
      const { status, text } = await other.get(url)
      expect([status, text]).toEqual(denied)
    }
    expect((await other.put(`query/${ID}`, { Name: 'r', Service: { Service: 'w' } })).text).toMatch(
      /lacks permission 'query:write' on "q"/,
    )
    const result = await other.get('query/open/execute')
    expect([result.body.Nodes, result.body.ResultsFilteredByACLs]).toEqual([[], true])
    expect(await found(manager, 'open/execute')).toEqual(['a'])
    const unknown = await manager.get('query/q/execute')
    expect([unknown.status, unknown.text]).toEqual([403, 'ACL not found'])
  })
})
