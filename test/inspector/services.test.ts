import { describe, expect, test } from 'vitest'
import { meshCatalog } from '../../inspector/pure/mesh-services.ts'
import {
  maskStateFile,
  runSteps,
  stateFile,
  workspaceViews,
} from '../../inspector/pure/workspaces.ts'

describe('behaviour/program#inspector: workspaces of the platform', () => {
  test('a workspace has its own runs and state versions, newest first, and its variables', () => {
    const tables = {
      workspaces: { 'acme/web': { id: 'ws-2' }, 'acme/net': { id: 'ws-1' } },
      runs: {
        'ws-1/1': { id: 'run-1', workspace: 'ws-1', created_at: 1 },
        'ws-1/2': { id: 'run-2', workspace: 'ws-1', created_at: 2 },
        'ws-2/1': { id: 'run-3', workspace: 'ws-2', created_at: 3 },
      },
      'state-versions': { 'ws-2/1': { id: 'sv-1', workspace: 'ws-2', created_at: 1 } },
      'state-contents': { 'sv-1/raw': { text: '{"serial":1}' }, 'sv-2/raw': { text: 'no JSON' } },
      variables: { 'ws-1/1': { id: 'var-1', module: 'ws-1' } },
    }
    const views = workspaceViews({ tables }).map(({ name, runs, versions, variables }) => [
      name,
      ...[runs, versions, variables].map((rows) => rows.map(({ id }) => id)),
    ])
    expect(views).toEqual([
      ['acme/net', ['run-2', 'run-1'], [], ['var-1']],
      ['acme/web', ['run-3'], ['sv-1'], []],
    ])
    const files = ['sv-1', 'sv-2', 'sv-3'].map((id) => stateFile({ tables }, id))
    expect(files).toEqual([{ serial: 1 }, 'no JSON', undefined])
    expect(workspaceViews({ tables: {} })).toEqual([])
  })

  test('the steps of a run are in the order in which it reached them, with the time between', () => {
    const reached = { applied_at: 900, planning_at: 200, planned_at: 500 }
    const steps = runSteps({ created_at: 100, reached })
    expect(steps.map(({ status, at, duration }) => `${status} ${at} +${duration}`)).toEqual([
      'created 100 +0',
      'planning 200 +100',
      'planned 500 +300',
      'applied 900 +400',
    ])
  })

  test('secrets of a state file are masked, and its lines stay where they are', () => {
    const file = {
      serial: 3,
      outputs: {
        url: { value: 'https://a' },
        key: { value: ['hidden 1', 'hidden 2'], sensitive: true },
        db_password: { value: 'hidden 3' },
      },
      resources: [
        {
          type: 'db',
          instances: [
            {
              attributes: { id: 'db-1', admin: { pin: 'hidden 4' }, password: 'hidden 5' },
              sensitive_attributes: [[{ type: 'get_attr', value: 'admin' }]],
              private: 'hidden 6',
            },
          ],
        },
      ],
    }
    const [text, masked] = [file, maskStateFile(file)].map((each) => JSON.stringify(each, null, 2))
    expect(masked).not.toContain('hidden')
    expect(masked).toContain('https://a')
    expect(masked).toContain('db-1')
    expect(masked?.split('\n')).toHaveLength(text?.split('\n').length ?? 0)
    expect(maskStateFile('hidden')).toBe('••••••')
    expect(JSON.stringify(maskStateFile([['hidden']]))).not.toContain('hidden')
    const broken = { outputs: { a: ['hidden'] }, resources: ['hidden', { instances: ['hidden'] }] }
    expect(JSON.stringify(maskStateFile(broken))).not.toContain('hidden')
  })
})

describe('behaviour/program#inspector: the catalog of the mesh', () => {
  const check = (check_id: string, service_id: string, status: string, namespace = 'default') => ({
    node: 'N1',
    namespace,
    check_id,
    service_id,
    status,
    name: '',
  })
  const service = (node: string, id: string, name: string, namespace = 'default') => ({
    ...{ node, id, name, namespace, address: '', port: 80 },
  })
  const tables = {
    nodes: { n1: { node: 'n1', address: '10.0.0.1' }, n2: { node: 'n2', address: '10.0.0.2' } },
    services: {
      a: service('n1', 'web-1', 'web'),
      b: service('n2', 'web-2', 'web'),
      c: service('n1', 'web-1', 'web', 'Eu'),
      d: { ...service('n1', '', ''), address: '10.1.1.1', port: 0 },
    },
    checks: {
      a: check('alive', '', 'warning'),
      b: check('ttl', 'web-1', 'passing'),
      c: check('ttl', 'web-1', 'critical', 'eu'),
    },
  }

  test('instances have their own checks, and the worst status of these and of their node', () => {
    const { services, nodes } = meshCatalog({ tables })
    const shown = [...services, nodes].flatMap(({ name, instances }) =>
      instances.map(({ id, node, address, status, checks }) =>
        [name, id, node, address, status, ...checks.map((each) => each.id)].join(' '),
      ),
    )
    expect(shown).toEqual([
      'Eu/web web-1 n1 10.0.0.1:80 critical eu/N1:ttl',
      'server server n1 10.1.1.1 warning',
      'web web-1 n1 10.0.0.1:80 warning N1:ttl',
      'web web-2 n2 10.0.0.2:80 passing',
      'Nodes n1 n1 10.0.0.1 warning N1:alive',
      'Nodes n2 n2 10.0.0.2 passing',
    ])
    expect(meshCatalog({ tables: {} }).services).toEqual([])
  })
})
