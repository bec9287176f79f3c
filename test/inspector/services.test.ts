import { describe, expect, test } from 'vitest'
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
