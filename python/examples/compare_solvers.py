"""Solvers on the contact problem of one step, with one of our own among them.

Writes out/compare_solvers/: index.html, the page of `talus compare`, and convergence.png.
"""

import sys

import matplotlib.pyplot as plt
import talus


class NesterovGradient(talus.ConvexSolver):
    """Accelerated projected gradient with restarts, in a dozen lines."""

    info = talus.SolverInfo("mine", summary="Nesterov's method with restarts")

    def minimise(self, problem, z, monitor):
        step = 1 / (1.1 * problem.largest_eigenvalue())
        y, u, age = z.copy(), problem.velocity(z), 0
        while monitor.proceed(z, u):
            new = problem.project_step(y, step, problem.velocity(y))
            # Restart when the step goes uphill (O'Donoghue and Candès 2015).
            age = 0 if (y - new) @ (new - z) > 0 else age + 1
            y = new + age / (age + 3) * (new - z)
            z[:] = new
            problem.velocity(z, out=u)


quick = "--quick" in sys.argv
layers = 3 if quick else 8
world = talus.World()
world.add_body("floor", talus.half_space(), motion="fixed")
for i in range(layers):
    world.add_body(f"box {i}", talus.box((0.4, 0.3, 0.2)), position=(0.03 * i, 0, 0.1 + 0.2 * i), velocity=(0.2, 0, 0))
problem = talus.Simulation(world).next_problem()
problem.title = f"stack of {layers}"

folder = "out/compare_solvers"
solvers = ["apgd", "admm", "newton", "prox-newton", NesterovGradient()]
print(talus.compare([problem], solvers, tolerances=[1e-4, 1e-8], time_limit=1, out=folder))

figure, axes = plt.subplots(figsize=(7, 4.5))
for solver in solvers:
    result = talus.solve(problem, solver, keep_history=True, time_limit=1)
    name = solver if isinstance(solver, str) else solver.info.name
    axes.loglog([max(1, record.products) for record in result.history], [record.error for record in result.history], label=name)
axes.set(xlabel="products with N", ylabel="error", title=problem.title)
axes.legend()
figure.savefig(f"{folder}/convergence.png", dpi=150)
