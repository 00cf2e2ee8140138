"""Two mechanical systems to control, as plain arrays: a pendulum on a motor and a pole on a cart."""

import numpy as np

from mlcore.base import check_array, check_number


def wrap_angle(theta):
    """The same angle in [-pi, pi).

    >>> float(wrap_angle(np.pi + 0.5).round(4))
    -2.6416
    """
    return (check_array(theta, name="theta", ndim=None, min_samples=0) + np.pi) % (2 * np.pi) - np.pi


def check_system(system):
    """The system itself, if it can make a step."""
    if not callable(getattr(system, "step", None)):
        raise TypeError(f"system must have a method step(s, a), as Pendulum and CartPole do; got {type(system).__name__}.")
    return system


def _state_and_action(s, a, d):
    """Arrays (..., d) and (..., 1) whose leading shapes agree; one number is an action too."""
    s, a = check_array(s, name="s", ndim=None), check_array(a, name="a", ndim=None)
    a = a[..., None] if a.ndim == 0 or a.ndim == s.ndim - 1 else a
    if s.shape[-1:] != (d,) or a.shape[-1:] != (1,):
        raise ValueError(f"a state has {d} numbers and an action 1; got shapes {s.shape} and {a.shape}.")
    if a.size != 1 and s.shape[:-1] != a.shape[:-1]:
        raise ValueError(f"as many actions as states are needed, or one for all; got shapes {s.shape} and {a.shape}.")
    return s, a


class Pendulum:
    """A pendulum with a motor at its hinge: state (theta, omega), action a torque, theta = 0 is upright.

    One step moves omega by dt (g sin(theta) - friction omega + a), then theta by dt times the *new* omega. ``step`` works on
    one state (2,) or on many at once (..., 2).

    Parameters
    ----------
    gravity, friction, dt : physics and the length of a step
    max_torque : actions are clipped to [-max_torque, max_torque]; None does not clip

    >>> Pendulum().step([0.1, 0.0], [0.0]).round(5)
    array([0.10245, 0.04892])
    """

    state_dim, action_dim = 2, 1

    def __init__(self, gravity=9.8, friction=0.1, dt=0.05, max_torque=None):
        self.gravity = check_number(gravity, "gravity", low=0)
        self.friction = check_number(friction, "friction", low=0)
        self.dt = check_number(dt, "dt", low=0, open_low=True)
        self.max_torque = None if max_torque is None else check_number(max_torque, "max_torque", low=0)

    def step(self, s, a):
        """The state after one step of length dt; theta is not wrapped, so that F stays smooth."""
        s, a = _state_and_action(s, a, 2)
        if self.max_torque is not None:
            a = np.clip(a, -self.max_torque, self.max_torque)
        theta, omega = s[..., 0], s[..., 1]
        omega = omega + self.dt * (self.gravity * np.sin(theta) - self.friction * omega + a[..., 0])
        return np.stack([theta + self.dt * omega, omega], axis=-1)


class CartPole:
    """A pole hinged on a cart: state (x, x_dot, theta, theta_dot), action a horizontal force, theta = 0 is upright.

    The equations of motion of a point mass m on a massless rod of length l on a cart of mass M, without friction. ``step``
    works on one state (4,) or on many at once (..., 4); positions move with the *new* velocities.

    Parameters
    ----------
    cart_mass, pole_mass, length, gravity, dt : physics and the length of a step
    max_force : actions are clipped to [-max_force, max_force]; None does not clip

    >>> (1000 * CartPole().step([0, 0, 0.05, 0], [0.0])).round(2).tolist()
    [-0.02, -0.98, 50.22, 10.77]
    """

    state_dim, action_dim = 4, 1
    track, lean = 2.4, 0.21                # the usual limits of an episode: |x| in meters, |theta| in radians

    def __init__(self, cart_mass=1.0, pole_mass=0.1, length=1.0, gravity=9.8, dt=0.02, max_force=None):
        for name, value in {"cart_mass": cart_mass, "pole_mass": pole_mass, "length": length, "dt": dt}.items():
            setattr(self, name, check_number(value, name, low=0, open_low=True))
        self.gravity = check_number(gravity, "gravity", low=0)
        self.max_force = None if max_force is None else check_number(max_force, "max_force", low=0)

    def step(self, s, a):
        """The state after one step of length dt."""
        s, a = _state_and_action(s, a, 4)
        if self.max_force is not None:
            a = np.clip(a, -self.max_force, self.max_force)
        x, v, theta, omega = (s[..., i] for i in range(4))
        sin, cos, force = np.sin(theta), np.cos(theta), a[..., 0]
        M, m, length, g = self.cart_mass, self.pole_mass, self.length, self.gravity
        # Newton for cart and pole: (M+m) x'' + m l (theta'' cos - omega^2 sin) = F,  l theta'' + x'' cos = g sin
        v_dot = (force + m * sin * (length * omega**2 - g * cos)) / (M + m * sin**2)
        omega_dot = (g * sin - v_dot * cos) / length
        v, omega = v + self.dt * v_dot, omega + self.dt * omega_dot
        return np.stack([x + self.dt * v, v, theta + self.dt * omega, omega], axis=-1)

    def fallen(self, s):
        """True where the pole leans over more than ``lean`` or the cart has left the track."""
        s = check_array(s, name="s", ndim=None)
        if s.shape[-1:] != (4,):
            raise ValueError(f"a state has 4 numbers, got shape {s.shape}.")
        return (np.abs(s[..., 0]) > self.track) | (np.abs(s[..., 2]) > self.lean)
