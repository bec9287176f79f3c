import { type ExternalServer, freePort, startExternalServer } from './external-server.ts'
import type { ServerProcess } from './process.ts'

/** The tokens that both have who are compared; the scheduler's must be a UUID. */
export const rootToken = 'root'
export const managementToken = '7f0b2a3c-4d5e-4f60-8a1b-2c3d4e5f6071'

/** A product whose development server is measured where its binary is named. */
interface RealServer {
  /** The variable that names the binary: the product's, or an open fork's. */
  readonly variable: string
  /** The API that plays it. */
  readonly api: 'secrets' | 'scheduler' | 'mesh'
  /** How it is started. */
  configured(acl: boolean): Promise<Omit<ExternalServer, 'command'>>
}

/** The development servers that are played, each on loopback ports and without a word to others. */
export const realServers = {
  vault: {
    variable: 'BENCH_VAULT',
    api: 'secrets',
    configured: async () => {
      const port = await freePort()
      const address = `-dev-listen-address=127.0.0.1:${port}`
      const flags = [`-dev-root-token-id=${rootToken}`, '-dev-no-store-token', '-log-level=error']
      return {
        args: ['server', '-dev', address, ...flags],
        port,
        probe: { path: '/v1/sys/health' },
      }
    },
  },
  nomad: {
    variable: 'BENCH_NOMAD',
    api: 'scheduler',
    configured: async (acl) => {
      const [port, rpc, serf] = [await freePort(), await freePort(), await freePort()]
      const configuration = {
        ports: { http: port, rpc, serf },
        log_level: 'ERROR',
        disable_update_check: true,
        acl: { enabled: acl },
        consul: { auto_advertise: false, client_auto_join: false, server_auto_join: false },
        // It would look for the metadata services of clouds, outside this machine.
        client: {
          options: { 'fingerprint.denylist': 'env_aws,env_gce,env_azure,env_digitalocean' },
        },
      }
      return {
        args: ['agent', '-dev', '-bind=127.0.0.1', '-config=agent.json'],
        port,
        files: { 'agent.json': JSON.stringify(configuration) },
        // With ACLs on jobs need a token, and there is none yet.
        probe: { path: acl ? '/v1/status/leader' : '/v1/jobs' },
      }
    },
  },
  consul: {
    variable: 'BENCH_CONSUL',
    api: 'mesh',
    configured: async () => {
      const ports = await Promise.all(Array.from({ length: 5 }, freePort))
      const [http, server, serf_lan, serf_wan, dns] = ports
      const configuration = {
        ports: { http, server, serf_lan, serf_wan, dns, grpc: -1, grpc_tls: -1 },
        disable_update_check: true,
      }
      return {
        args: ['agent', '-dev', '-bind=127.0.0.1', '-log-level=error', '-config-file=agent.json'],
        port: http ?? 0,
        files: { 'agent.json': JSON.stringify(configuration) },
        probe: { path: '/v1/kv/?keys&separator=%2F' },
      }
    },
  },
} as const satisfies Record<string, RealServer>

export type Product = keyof typeof realServers

/** The binary that a product's variable names. */
export function binaryOf(product: Product): string | undefined {
  return process.env[realServers[product].variable]
}

/** Starts the development server of a product. */
export async function startReal(
  product: Product,
  command: string,
  acl: boolean,
): Promise<ServerProcess> {
  const configured: RealServer['configured'] = realServers[product].configured
  return startExternalServer({ command, ...(await configured(acl)) })
}
