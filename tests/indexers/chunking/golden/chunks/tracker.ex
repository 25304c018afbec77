defmodule Shop.Tracker do
  @moduledoc """
  Follows parcels and tells their owners where they are.
  """
  use GenServer

  alias Shop.Notifier

  @poll_every_ms 60_000

  defstruct parcels: %{}, notifier: Notifier

  @doc "Starts a tracker."
  def start_link(options \\ []) do
    GenServer.start_link(__MODULE__, options, name: __MODULE__)
  end

  @doc """
  Follows a parcel from now on.
  """
  @spec follow(String.t(), String.t()) :: :ok
  def follow(number, owner) when is_binary(number) do
    GenServer.call(__MODULE__, {:follow, number, owner})
  end

  @impl true
  def init(options) do
    schedule()
    {:ok, struct(__MODULE__, options)}
  end

  @impl true
  def handle_call({:follow, number, owner}, _from, state) do
    parcels = Map.put(state.parcels, number, %{owner: owner, place: nil})
    {:reply, :ok, %{state | parcels: parcels}}
  end

  @impl true
  def handle_info(:poll, state) do
    parcels =
      Map.new(state.parcels, fn {number, parcel} ->
        place = locate(number)

        if place != parcel.place do
          state.notifier.tell(parcel.owner, "parcel #{number} is at #{place}")
        end

        {number, %{parcel | place: place}}
      end)

    schedule()
    {:noreply, %{state | parcels: parcels}}
  end

  defp locate("X" <> _rest), do: "customs"
  defp locate(_number), do: "depot"

  defp schedule, do: Process.send_after(self(), :poll, @poll_every_ms)
end
