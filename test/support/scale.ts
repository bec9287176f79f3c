import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDocument } from './files.ts'

/** Usual paths of nginx, and the path in `UNDERSTUDY_NGINX`. */
const places = [process.env['UNDERSTUDY_NGINX'], '/usr/sbin/nginx', '/usr/local/bin/nginx']

/** Returns the path of nginx; undefined if no file in `places` exists. */
export function nginxProgram(): string | undefined {
  return places.find((place) => place !== undefined && existsSync(place))
}

/**
 * Starts nginx with the project's configuration in front of local servers. Returns its address and
 * a function that stops it. Throws if nginx rejects the configuration, or ends before it answers.
 */
export async function startNginx(program: string, servers: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-nginx-'))
  const port = await findFreePort()
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, servers))
  const argv = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;']
  execFileSync(program, [...argv, '-t'], { stdio: 'pipe' })
  const child = spawn(program, argv, { stdio: ['ignore', 'ignore', 'inherit'] })
  const url = `http://127.0.0.1:${port}`
  await waitForAnswer(url, child)
  return {
    url,
    async stop(): Promise<void> {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

/**
 * Returns the project's configuration of nginx with other servers and another port, and with
 * folders that nginx can write to. Throws if the project's file has an unexpected form.
 */
function configuration(folder: string, port: number, servers: readonly string[]): string {
  const serverLines = /(?:^ {4}server understudy-\d:4600;\n)+/m
  const text = readDocument('docker/scale/nginx.conf')
  if (!serverLines.test(text) || !text.includes('listen 4600;'))
    throw new Error('another configuration')
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const tempPathLines = kinds.map((kind) => `  ${kind}_temp_path ${folder}/${kind};\n`).join('')
  return text
    .replace(serverLines, servers.map((url) => `    server ${new URL(url).host};\n`).join(''))
    .replace('listen 4600;', `listen 127.0.0.1:${port};`)
    .replace('http {\n', `http {\n${tempPathLines}`)
    .replace(/^/, `pid ${folder}/nginx.pid;\n`)
}

/**
 * Returns a configuration of nginx without its servers and comments. Only these parts may differ
 * between the Kubernetes manifest and the project's own file.
 */
export function withoutServers(text: string): string {
  return text.replace(/^ *server \S+:4600;\n/gm, '').replace(/^#.*\n/gm, '')
}

function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      probe.close(() => resolve(port))
    })
  })
}

async function waitForAnswer(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    try {
      await (await fetch(`${url}/_mock/health`)).arrayBuffer()
      return
    } catch {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  throw new Error('nginx has ended')
}

/** Returns the ids of a server's worlds, except the default one. */
export async function worldsOf(server: string): Promise<readonly string[]> {
  const { worlds } = await (await fetch(`${server}/_mock/worlds`)).json()
  return worlds
    .map(({ id }: { readonly id: string }) => id)
    .filter((id: string) => id !== 'default')
}
