import type { ComparedRequest, ReplyVariable } from '../../../src/cli/compare/request.ts'
import { asRoot, type Call, unknownId } from './fixture.ts'

export const configurationVariables: readonly ReplyVariable[] = [
  { name: '$query', operationPattern: /^make query$/, memberPath: ['ID'], initialValue: unknownId },
  {
    name: '$entry',
    operationPattern: /^read entry$/,
    memberPath: ['ModifyIndex'],
    initialValue: 1,
  },
]

const named = (Kind: string, Name: string, members: object = {}) => ({ Kind, Name, ...members })
const http = (Name: string) => named('service-defaults', Name, { Protocol: 'http' })
const source = (Name: string, Action: string, members: object = {}) => ({
  Name,
  Action,
  ...members,
})
const allow = (Name: string, Sources: readonly object[]) =>
  named('service-intentions', Name, { Sources })

/** Lists of entries that are written one after the other. */
const entryLists: readonly (readonly object[])[] = [
  [
    named('service-defaults', 'web'),
    http('web'),
    named('service-defaults', 'web', { Protocol: 'carrier-pigeon' }),
    named('service-defaults', 'web', { MeshGateway: { Mode: 'x' } }),
    named('service-defaults', 'web', { MaxInboundConnections: -1 }),
    named('service-defaults', 'web', { BalanceInboundConnections: 'x' }),
    named('service-defaults', '', {}),
    named('service-defaults', '*', {}),
    named('service-defaults', 'web', { Destination: { Addresses: ['a.b'], Port: 0 } }),
    named('service-defaults', 'web', { UpstreamConfig: { Defaults: { Name: 'x' } } }),
  ],
  [
    named('proxy-defaults', 'global', { Config: { protocol: 'http' } }),
    named('proxy-defaults', 'other'),
    named('proxy-defaults', '', { Mode: 'transparent' }),
    named('proxy-defaults', 'global', { Mode: 'x' }),
  ],
  [
    named('service-resolver', 'web', { Redirect: { Service: 'other' } }),
    named('service-resolver', 'web', { Redirect: {} }),
    named('service-resolver', 'web', { Redirect: { Service: 'o' }, Failover: { '*': {} } }),
    named('service-resolver', 'web', { DefaultSubset: 'v1' }),
    named('service-resolver', 'web', { Subsets: { v1: { Filter: 'x y' } } }),
    named('service-resolver', 'web', { DefaultSubset: 'v1', Subsets: { v1: {} } }),
    named('service-resolver', 'web', { Failover: { '*': {} } }),
    named('service-resolver', 'web', { ConnectTimeout: '-1s' }),
    named('service-resolver', 'web', { ConnectTimeout: '5s', RequestTimeout: '6s' }),
  ],
  [
    named('service-splitter', 'web', { Splits: [{ Weight: 100 }] }),
    http('web'),
    http('other'),
    named('service-splitter', 'web', {
      Splits: [{ Weight: 60 }, { Weight: 40, Service: 'other' }],
    }),
    named('service-splitter', 'web', { Splits: [{ Weight: 60 }] }),
    named('service-splitter', 'web', { Splits: [] }),
    named('service-router', 'web', {
      Routes: [{ Match: { HTTP: { PathPrefix: '/a' } }, Destination: { Service: 'other' } }],
    }),
    named('service-router', 'web', {
      Routes: [{ Match: { HTTP: { PathExact: '/a', PathPrefix: '/a' } } }],
    }),
    named('service-router', 'web', { Routes: [{ Match: { HTTP: { PathPrefix: 'a' } } }] }),
    named('service-defaults', 'web', { Protocol: 'tcp' }),
  ],
  [
    named('ingress-gateway', 'in', {
      Listeners: [{ Port: 80, Protocol: 'tcp', Services: [{ Name: 'web' }] }],
    }),
    named('ingress-gateway', 'in', {
      Listeners: [{ Port: 80, Protocol: 'http', Services: [{ Name: 'web' }] }],
    }),
    named('ingress-gateway', 'in', { Listeners: [{ Port: 80, Protocol: 'tcp', Services: [] }] }),
    named('terminating-gateway', 'out', { Services: [{ Name: 'web' }, { Name: '*' }] }),
    named('terminating-gateway', 'out', { Services: [{ Name: 'web' }, { Name: 'web' }] }),
    named('terminating-gateway', 'out', { Services: [{ Name: 'web', CertFile: 'x' }] }),
  ],
  [
    { Kind: 'mesh', TransparentProxy: { MeshDestinationsOnly: true } },
    { Kind: 'mesh', TLS: { Incoming: { TLSMinVersion: 'x' } } },
    named('exported-services', 'default', { Services: [] }),
    named('exported-services', 'other', { Services: [] }),
    named('nonsense', 'x'),
    { Name: 'x' },
    { Kind: 5 },
  ],
  [
    allow('web', [source('api', 'allow'), source('*', 'deny')]),
    allow('web', [source('api', 'allow'), source('api', 'deny')]),
    allow('web', [source('api', 'x')]),
    allow('web', [{ Name: 'api' }]),
    allow('web', []),
    allow('web', [source('api', 'allow', { Description: 'x'.repeat(600) })]),
    allow('web', [source('api', 'allow', { Permissions: [] })]),
    allow('web', [{ Name: 'api', Permissions: [{ Action: 'allow', HTTP: { PathExact: '/a' } }] }]),
    allow('*', [source('*', 'deny')]),
    http('web'),
    allow('web', [{ Name: 'api', Permissions: [{ Action: 'allow', HTTP: { PathExact: '/a' } }] }]),
  ],
]

const kinds = [
  ...['service-defaults', 'proxy-defaults', 'service-resolver', 'service-splitter'],
  ...['service-router', 'ingress-gateway', 'terminating-gateway', 'mesh', 'exported-services'],
  'service-intentions',
]

const names = ['web', 'other', 'in', 'out', 'global', 'mesh', 'default', '*']

/** Requests that remove all entries; those that route to others go first. */
const removal = ['service-router', 'service-splitter', 'service-resolver', ...kinds].flatMap(
  (kind) => names.map((name) => asRoot('clean up', 'DELETE', `config/${kind}/${name}`)),
)

function entrySequence(entries: readonly object[]): readonly ComparedRequest[] {
  const writes = entries.flatMap((entry) => {
    const { Kind = '', Name = '' } = entry as { readonly Kind?: string; readonly Name?: string }
    const path = `config/${Kind}/${Name || (Kind === 'mesh' ? 'mesh' : 'global')}`
    const body = JSON.stringify(entry)
    return [
      asRoot(`PUT config ${body}`, 'PUT', 'config', entry),
      asRoot('read entry', 'GET', path),
      asRoot(`after ${body}, list`, 'GET', `config/${Kind}`),
      asRoot(`PUT config?cas=0 ${body}`, 'PUT', 'config?cas=0', entry),
      asRoot(`PUT config?cas=$entry ${body}`, 'PUT', 'config?cas=$entry', entry),
      asRoot(`after ${body}, chain`, 'GET', `discovery-chain/${Name || 'web'}`),
    ]
  })
  const deletions = entries.flatMap((entry) => {
    const { Kind = '', Name = '' } = entry as { readonly Kind?: string; readonly Name?: string }
    const path = `config/${Kind}/${Name}`
    return [`${path}?cas=1`, `${path}?cas=x`, path].map((each) =>
      asRoot(`DELETE ${each}`, 'DELETE', each),
    )
  })
  return [...writes, ...deletions, ...removal]
}

const exact = 'connect/intentions/exact?source=api&destination=web'

/** Requests about intentions by source and destination. */
const intentions: readonly Call[] = [
  ['PUT', exact, { Action: 'allow' }],
  ['GET', exact],
  ['PUT', exact, { Action: 'deny', Description: 'd', Meta: { a: 'b' } }],
  ['GET', exact],
  ['PUT', exact, { Action: 'x' }],
  ['PUT', exact, {}],
  ['PUT', exact, { SourceName: 'other', Action: 'allow' }],
  ['PUT', 'connect/intentions/exact?source=api', { Action: 'allow' }],
  ['PUT', 'connect/intentions/exact?source=*&destination=web', { Action: 'allow' }],
  ['PUT', 'connect/intentions/exact?source=w*&destination=web', { Action: 'allow' }],
  ['PUT', 'connect/intentions/exact?source=*&destination=*', { Action: 'deny' }],
  ['GET', 'connect/intentions/exact?source=none&destination=web'],
  ['GET', 'connect/intentions'],
  ['GET', 'connect/intentions?filter=SourceName==api'],
  ['GET', 'connect/intentions?filter=Nonsense==api'],
  ...[
    ...['by=source&name=api', 'by=destination&name=web', 'by=destination&name=*', 'by=x&name=web'],
    ...['by=source', 'name=web', 'by=destination&name=web&name=api'],
  ].map((query): Call => ['GET', `connect/intentions/match?${query}`]),
  ...[
    'source=api&destination=web',
    'source=x&destination=web',
    'source=x&destination=y',
    'source=x',
  ].map((query): Call => ['GET', `connect/intentions/check?${query}`]),
  ['GET', 'config/service-intentions/web'],
  ['DELETE', exact],
  ['DELETE', exact],
  ['DELETE', 'connect/intentions/exact?source=*&destination=web'],
  ['GET', 'config/service-intentions/web'],
  ['DELETE', 'connect/intentions/exact?source=*&destination=*'],
]

/** Prepared queries: valid, unusual and refused ones. */
const queries: readonly object[] = [
  { Name: 'oracle', Service: { Service: 'consul' } },
  { Name: 'oracle-failover', Service: { Service: 'none', Failover: { Datacenters: ['dc2'] } } },
  { Name: 'oracle-tags', Service: { Service: 'consul', Tags: ['a', '!b'], OnlyPassing: true } },
  { Name: 'oracle-meta', Service: { Service: 'consul', NodeMeta: { a: 'b' } } },
  { Name: 'oracle-dns', Service: { Service: 'consul' }, DNS: { TTL: '10s' } },
  { Name: 'oracle-', Template: { Type: 'name_prefix_match' }, Service: { Service: 'consul' } },
  {
    Name: 'oracle-re',
    Template: { Type: 'name_prefix_match', Regexp: '^oracle-re-(.*)$' },
    Service: { Service: `\${match(1)}` },
  },
  { Template: { Type: 'x' }, Service: { Service: 'consul' } },
  { Template: { Type: 'name_prefix_match', Regexp: '(' }, Service: { Service: 'consul' } },
  { Name: 'oracle-broken', Template: { Type: 'name_prefix_match' }, Service: { Service: `\${` } },
  { Name: 'oracle-x', Service: {} },
  { Name: 'oracle-x' },
  {},
  { Name: 'oracle-x', Service: { Service: 'consul' }, DNS: { TTL: 'x' } },
  { Name: 'oracle-x', Service: { Service: 'consul' }, DNS: { TTL: '-1s' } },
  { Name: 'oracle-x', Service: { Service: 'consul' }, Session: 'x' },
  { Name: 'oracle-x', Service: { Service: 'consul' }, Session: unknownId },
  { Name: 'oracle-x', Service: { Service: 'consul', Failover: { NearestN: -1 } } },
  { ID: 'x', Name: 'oracle-x', Service: { Service: 'consul' } },
  { Name: 'oracle-near', Service: { Service: 'consul', Near: '_agent' }, Token: 'x' },
]

function querySequence(query: object): readonly ComparedRequest[] {
  const name = JSON.stringify(query)
  const { Name = 'none' } = query as { readonly Name?: string }
  const calls: readonly Call[] = [
    ['GET', 'query/$query'],
    ['GET', 'query'],
    ['GET', 'query/$query/execute'],
    ['GET', `query/${Name}/execute`],
    ['GET', `query/${Name}-more/execute`],
    ['GET', `query/${Name}-more/explain`],
    ['GET', `query/${Name}/explain`],
    ['GET', 'query/$query/execute?limit=1&near=_agent'],
    ['GET', 'query/$query/execute?limit=x'],
    ['POST', 'query', query],
    ['PUT', 'query/$query', { ...query, Name: 'oracle-renamed' }],
    ['GET', 'query/$query'],
    ['PUT', 'query/$query', {}],
    ['DELETE', 'query/$query'],
    ['DELETE', 'query/$query'],
    ['GET', 'query/$query'],
  ]
  return [
    asRoot('make query', 'POST', 'query', query),
    ...calls.map((call) => asRoot(`${name}: ${call[0]} ${call[1]}`, ...call)),
  ]
}

/** Returns sequences about configuration entries, intentions and prepared queries. */
export function configurationSequences(): readonly (readonly ComparedRequest[])[] {
  return [
    ...entryLists.map(entrySequence),
    [...intentions.map((call) => asRoot(`${call[0]} ${call[1]}`, ...call)), ...removal],
    ...queries.map(querySequence),
  ]
}
