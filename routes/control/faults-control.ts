import { type Fault, type NewFault, newFaultShape } from '../faults/fault-shapes.ts'
import type { Faults } from '../faults/faults.ts'
import { InputError, type Validator } from '../http/validate.ts'

/** The faults of one world (CONTROL section 3). */
export class FaultsControl {
  readonly #faults: Faults
  readonly #validator: Validator

  constructor(faults: Faults, validator: Validator) {
    this.#faults = faults
    this.#validator = validator
  }

  /**
   * Makes requests that fit fail.
   *
   * @throws {InputError} for a fault that says nothing, or two things at once
   */
  add(fault: NewFault): Fault {
    const problems = this.#validator.check(newFaultShape, fault, 'the fault')
    if (problems.length > 0) throw new InputError(problems)
    return this.#faults.add(fault)
  }

  /** The faults in order, with how often each has fitted and was applied. */
  list(): readonly Fault[] {
    return this.#faults.list()
  }

  /** One of them; refuses (`absent`) one that there is not. */
  get(id: string): Fault {
    return this.#faults.get(id)
  }

  /** Takes a fault away; requests that it lets hang are let go. */
  delete(id: string): void {
    this.#faults.delete(id)
  }

  /** Takes all faults away. */
  clear(): void {
    this.#faults.clear()
  }
}
