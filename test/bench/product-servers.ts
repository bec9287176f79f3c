import { type ExternalServer, freePort, startExternalServer } from './external-server.ts'
import type { ServerProcess } from './process.ts'

/** Root tokens of both servers in a comparison. The scheduler requires a UUID. */
export const rootToken = 'root'
export const managementToken = '7f0b2a3c-4d5e-4f60-8a1b-2c3d4e5f6071'

/** Product whose development server is measured if an environment variable names its binary. */
interface RealServer {
  /** Environment variable that names the binary of the product or of its open fork. */
  readonly variable: string
  /** Our API that stands in for the product. */
  readonly api: 'secrets' | 'scheduler' | 'mesh'
  /** Returns the arguments, files and port of the server. */
  configured(acl: boolean): Promise<Omit<ExternalServer, 'command'>>
}

/** Development servers of the products, configured to use loopback ports and no outside network. */
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
        // Without the denylist, the client would query the metadata services of clouds.
        client: {
          options: { 'fingerprint.denylist': 'env_aws,env_gce,env_azure,env_digitalocean' },
        },
      }
      return {
        args: ['agent', '-dev', '-bind=127.0.0.1', '-config=agent.json'],
        port,
        files: { 'agent.json': JSON.stringify(configuration) },
        // With ACLs on, reading jobs needs a token, which does not exist yet.
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

/** Returns the path of the product's binary; undefined if its environment variable is not set. */
export function binaryOf(product: Product): string | undefined {
  return process.env[realServers[product].variable]
}

export async function startReal(
  product: Product,
  command: string,
  acl: boolean,
): Promise<ServerProcess> {
  const configured: RealServer['configured'] = realServers[product].configured
  return startExternalServer({ command, ...(await configured(acl)) })
}
