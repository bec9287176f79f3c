import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, statusAndBody } from '../replies.ts'

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/secrets#small-endpoints, %s: the nodes and versions of a cluster',
  (dialect) => {
    test('ha-status describes the only node, with repeated keys', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const { status, body } = await secrets.get('sys/ha-status')
      expect(status).toBe(200)
      const leader = (await secrets.get('sys/leader')).body
      expect(body.data).toEqual({
        nodes: [
          {
            hostname: expect.any(String),
            api_address: leader.leader_address,
            cluster_address: leader.leader_cluster_address,
            active_node: true,
            last_echo: null,
            version: '1.14.0',
          },
        ],
      })
      expect(body.nodes).toEqual(body.data.nodes)
    })

    test('a standby shows its last heartbeat', async () => {
      const { secrets, world } = await servedSecrets({ dialect })
      world.transitions.get('secrets.node')?.force(world, 'self', 'standby', {})
      const { data } = (await secrets.get('sys/ha-status')).body
      expect(data.nodes).toMatchObject([{ active_node: false, last_echo: '2026-01-01T00:00:00Z' }])
    })

    // choice/secrets#ha-hostname
    test('ha-status names the host that the caller used', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const headers = { host: 'node.test:4600' }
      const { data } = (await secrets.get('sys/ha-status', { headers })).body
      expect(data.nodes).toMatchObject([{ hostname: 'node.test' }])
    })

    test('ha-status needs a token', async () => {
      const { secrets } = await servedSecrets({ dialect })
      expect(statusAndBody(await secrets.get('sys/ha-status', { token: null }))).toEqual(
        error(403, 'permission denied'),
      )
    })

    // choice/secrets#version-installed
    test('version-history lists the version without its edition, and is not read', async () => {
      const { secrets } = await servedSecrets({ dialect })
      const { data } = (await secrets.list('sys/version-history')).body
      expect(data).toEqual({
        keys: ['1.14.0'],
        key_info: {
          '1.14.0': {
            previous_version: null,
            timestamp_installed: '2023-06-19T11:40:23Z',
            build_date: '2023-06-19T11:40:23Z',
          },
        },
      })
      expect(statusAndBody(await secrets.get('sys/version-history'))).toEqual(
        multierrorReply(405, 'unsupported operation'),
      )
      expect((await secrets.list('sys/version-history', { token: null })).status).toBe(403)
    })
  },
)
