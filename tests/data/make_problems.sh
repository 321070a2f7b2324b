#!/bin/sh
# Makes the problems of this folder: make_problems.sh PROGRAM [FOLDER], from the top of the checkout.
# make_complementarity.py makes those that no scene has.
set -e
program=$1
out=${2:-tests/data}
export_step() { # NAME SCENE STEP [--set ...]
  name=$1 scene=$2 step=$3
  shift 3
  "$program" export "scenes/$scene.yaml" --step "$step" --out "$out/$name.hdf5" "$@"
}
export_step masonry_arch masonry_arch 5
export_step card_house card_house 5
export_step heavy_on_light heavy_on_light 20
export_step slider_crank slider_crank 5
export_step settled_balls balls_in_box 1000
export_step box_tower box_stack_40 3 --set generators.box.count=8
export_step planar_stack planar_stack_136 2 --set generators.disc.rows=6 \
  --set "bodies.left post.position=[-3.5,0,0.5]" --set "bodies.right post.position=[3.5,0,0.5]"
export_step planar_slump planar_stack_136 60 --set generators.disc.rows=6 \
  --set "bodies.left post.position=[-9,0,0.5]" --set "bodies.right post.position=[9,0,0.5]"
export_step chain_on_post chain 600
export_step cam_follower cam_follower 50
export_step yielding_balls yielding_balls 200 --set generators.ball.count=30
export_step settling_balls balls_in_box 150 --set generators.ball.count=40
export_step shaken_nut brazil_nut 240 --set generators.small.count=40
export_step hourglass_neck hourglass 250 --set generators.grain.count=40
export_step ratio_1000 heavy_on_light 20 --set generators.sphere.counts=[3,3,1] --set bodies.slab.mass=6280
export_step slippery_slope incline 20
export_step sliding_box sliding_box 20
export_step rolling_ball rolling_ball 20
