import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import type { PoolOptions, PoolRunnerInitializer, PoolWorker, WorkerRequest } from 'vitest/node'

const response = { __vitest_worker_response__: true }

/**
 * A pool for Vitest whose process outlives a run: modules that have not changed stay loaded.
 * Vitest's own pools start a process for each run.
 */
export class TestProcess implements PoolRunnerInitializer {
  readonly name = 'test-process'
  /** Files whose modules are loaded again in the next run. */
  readonly changed = new Set<string>()
  /** True if the process of the last run ended before its tests did. */
  lost = false
  readonly #environment: Readonly<Record<string, string>>
  readonly #silence: number
  #child: ChildProcess | undefined
  #started = false
  #timer: NodeJS.Timeout | undefined

  /**
   * @param environment variables of the process
   * @param silence milliseconds without a message after which a running process is ended
   */
  constructor(environment: Readonly<Record<string, string>>, silence: number) {
    this.#environment = environment
    this.#silence = silence
  }

  createPoolWorker(options: PoolOptions): PoolWorker {
    const events = new EventEmitter()
    const onMessage = (message: { readonly type?: string }) => {
      if (message.type === 'started') this.#started = true
      if (message.type === 'testfileFinished') clearTimeout(this.#timer)
      else this.#timer?.refresh()
      events.emit('message', message)
    }
    const onExit = (code: number | null) => events.emit('exit', code)
    const answer = (type: string) => {
      queueMicrotask(() => events.emit('message', { type, ...response }))
    }
    return {
      name: this.name,
      cacheFs: true,
      on: (event, callback) => void events.on(event, callback),
      off: (event, callback) => void events.off(event, callback),
      deserialize: (data) => data,
      start: async () => {
        const child = this.#child ?? this.#fork(options)
        child.on('message', onMessage).on('exit', onExit)
      },
      stop: async () => {
        this.#child?.off('message', onMessage).off('exit', onExit)
      },
      send: (message) => {
        if ('type' in message && message.type === 'start' && this.#started) answer('started')
        else if ('type' in message && message.type === 'stop') answer('stopped')
        else this.#send(message)
      },
    }
  }

  /** Ends the process; the next run starts another one. */
  end(): void {
    clearTimeout(this.#timer)
    this.#child?.kill('SIGKILL')
    this.#child = undefined
    this.#started = false
  }

  #send(message: WorkerRequest): void {
    const child = this.#child
    if (child === undefined) return
    if ('type' in message && message.type === 'run') {
      message.context.invalidates = [...this.changed]
      this.changed.clear()
      this.lost = false
      this.#timer = setTimeout(() => child.kill('SIGKILL'), this.#silence)
    }
    child.send(message)
  }

  #fork({ distPath, env, execArgv }: PoolOptions): ChildProcess {
    const child = fork(join(distPath, 'workers/forks.js'), [], {
      env: { ...env, ...this.#environment },
      execArgv: [...execArgv, '--max-old-space-size=2048'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    })
    child.setMaxListeners(50)
    child.once('exit', () => {
      if (this.#child !== child) return
      this.lost = true
      clearTimeout(this.#timer)
      this.#child = undefined
      this.#started = false
    })
    this.#child = child
    return child
  }
}
