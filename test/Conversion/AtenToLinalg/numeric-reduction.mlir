// RUN: kgen-oracle %s --check
// RUN: kgen-oracle %s --check --slice-limit 64
// Written by Inputs/generate.py with PyTorch 2.13.0+cpu; do not edit.

// case: all.dims_f32
// inputs: bool
// expect:
//   0.0 0.0 0.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<3xi1> {
  %r0 = aten.all.dims %a0 dim [0, -1] : (tensor<2x3x5xf32>) -> tensor<3xi1>
  return %r0 : tensor<3xi1>
}

// -----
// case: all.dims_f32_all
// inputs: bool
// expect:
//   0.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x1x1xi1> {
  %r0 = aten.all.dims %a0 keepdim true : (tensor<2x3x5xf32>) -> tensor<1x1x1xi1>
  return %r0 : tensor<1x1x1xi1>
}

// -----
// case: all.dims_i64
// inputs: bool
// expect:
//   0.0 0.0 0.0
func.func @f(%a0: tensor<2x3x5xi64>) -> tensor<3xi1> {
  %r0 = aten.all.dims %a0 dim [0, -1] : (tensor<2x3x5xi64>) -> tensor<3xi1>
  return %r0 : tensor<3xi1>
}

// -----
// case: all.dims_i64_all
// inputs: bool
// expect:
//   0.0
func.func @f(%a0: tensor<2x3x5xi64>) -> tensor<1x1x1xi1> {
  %r0 = aten.all.dims %a0 keepdim true : (tensor<2x3x5xi64>) -> tensor<1x1x1xi1>
  return %r0 : tensor<1x1x1xi1>
}

// -----
// case: all.dims_i1
// inputs: bool
// expect:
//   0.0 0.0 0.0
func.func @f(%a0: tensor<2x3x5xi1>) -> tensor<3xi1> {
  %r0 = aten.all.dims %a0 dim [0, -1] : (tensor<2x3x5xi1>) -> tensor<3xi1>
  return %r0 : tensor<3xi1>
}

// -----
// case: all.dims_i1_all
// inputs: bool
// expect:
//   0.0
func.func @f(%a0: tensor<2x3x5xi1>) -> tensor<1x1x1xi1> {
  %r0 = aten.all.dims %a0 keepdim true : (tensor<2x3x5xi1>) -> tensor<1x1x1xi1>
  return %r0 : tensor<1x1x1xi1>
}

// -----
// case: any.dims_f32
// inputs: first
// expect:
//   1.0 0.0 0.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<3xi1> {
  %r0 = aten.any.dims %a0 dim [0, -1] : (tensor<2x3x5xf32>) -> tensor<3xi1>
  return %r0 : tensor<3xi1>
}

// -----
// case: any.dims_f32_all
// inputs: first
// expect:
//   1.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x1x1xi1> {
  %r0 = aten.any.dims %a0 keepdim true : (tensor<2x3x5xf32>) -> tensor<1x1x1xi1>
  return %r0 : tensor<1x1x1xi1>
}

// -----
// case: any.dims_i64
// inputs: first
// expect:
//   1.0 0.0 0.0
func.func @f(%a0: tensor<2x3x5xi64>) -> tensor<3xi1> {
  %r0 = aten.any.dims %a0 dim [0, -1] : (tensor<2x3x5xi64>) -> tensor<3xi1>
  return %r0 : tensor<3xi1>
}

// -----
// case: any.dims_i64_all
// inputs: first
// expect:
//   1.0
func.func @f(%a0: tensor<2x3x5xi64>) -> tensor<1x1x1xi1> {
  %r0 = aten.any.dims %a0 keepdim true : (tensor<2x3x5xi64>) -> tensor<1x1x1xi1>
  return %r0 : tensor<1x1x1xi1>
}

// -----
// case: any.dims_i1
// inputs: first
// expect:
//   1.0 0.0 0.0
func.func @f(%a0: tensor<2x3x5xi1>) -> tensor<3xi1> {
  %r0 = aten.any.dims %a0 dim [0, -1] : (tensor<2x3x5xi1>) -> tensor<3xi1>
  return %r0 : tensor<3xi1>
}

// -----
// case: any.dims_i1_all
// inputs: first
// expect:
//   1.0
func.func @f(%a0: tensor<2x3x5xi1>) -> tensor<1x1x1xi1> {
  %r0 = aten.any.dims %a0 keepdim true : (tensor<2x3x5xi1>) -> tensor<1x1x1xi1>
  return %r0 : tensor<1x1x1xi1>
}

// -----
// case: var.correction_0.0
// inputs: uniform
// expect:
//   1.9448642535470644 0.48371538589388546 0.1360278406814763 1.2569025131313378 0.23782134990325257 0.5140872177408918
//   1.455354090190492 0.21737320428886522 1.9138062986987412 0.01585597266788736
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  %r0 = aten.var.correction %a0 dim [1] correction 0.0 : (tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %r0 : tensor<2x5xf32>
}

// -----
// case: var.correction_1.0
// inputs: uniform
// expect:
//   2.9172963803205967 0.7255730788408282 0.20404176102221447 1.8853537696970066 0.35673202485487887 0.7711308266113377
//   2.183031135285738 0.32605980643329785 2.8707094480481117 0.02378395900183104
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  %r0 = aten.var.correction %a0 dim [1] correction 1.0 : (tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %r0 : tensor<2x5xf32>
}

// -----
// case: var.correction_2.5
// inputs: uniform
// expect:
//   11.669185521282387 2.902292315363313 0.8161670440888579 7.5414150787880265 1.4269280994195155 3.0845233064453508
//   8.732124541142952 1.3042392257331914 11.482837792192447 0.09513583600732416
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  %r0 = aten.var.correction %a0 dim [1] correction 2.5 : (tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %r0 : tensor<2x5xf32>
}

// -----
// case: var.correction_all
// inputs: uniform
// expect:
//   0.9746208680607761
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x1x1xf32> {
  %r0 = aten.var.correction %a0 keepdim true : (tensor<2x3x5xf32>) -> tensor<1x1x1xf32>
  return %r0 : tensor<1x1x1xf32>
}

// -----
// case: var.correction_offset
// inputs: offset
// tolerance: 5e-11
// expect:
//   0.010711239276925829
func.func @f(%a0: tensor<40xf32>) -> tensor<f32> {
  %r0 = aten.var.correction %a0 : (tensor<40xf32>) -> tensor<f32>
  return %r0 : tensor<f32>
}

// -----
// case: sum.dim_IntList_dim0
// inputs: uniform
// expect:
//   1.6482074867492869 -0.26686363549569725 0.37284369607906953 -3.278577636096664 0.6672576422041434 -1.607081267125519
//   -0.9346503173952669 0.6851660890316689 2.1121930340690183 1.3979537475355595 -1.3349714470273306 0.3230803955333026
//   0.6805532415869426 1.3304858829844277 0.5960158703305418
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<3x5xf32> {
  %r0 = aten.sum.dim_IntList %a0 dim [0] : (tensor<2x3x5xf32>) -> tensor<3x5xf32>
  return %r0 : tensor<3x5xf32>
}

// -----
// case: sum.dim_IntList_dim0_keep
// inputs: uniform
// expect:
//   1.6482074867492869 -0.26686363549569725 0.37284369607906953 -3.278577636096664 0.6672576422041434 -1.607081267125519
//   -0.9346503173952669 0.6851660890316689 2.1121930340690183 1.3979537475355595 -1.3349714470273306 0.3230803955333026
//   0.6805532415869426 1.3304858829844277 0.5960158703305418
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x3x5xf32> {
  %r0 = aten.sum.dim_IntList %a0 dim [0] keepdim true : (tensor<2x3x5xf32>) -> tensor<1x3x5xf32>
  return %r0 : tensor<1x3x5xf32>
}

// -----
// case: sum.dim_IntList_dim1
// inputs: uniform
// expect:
//   -0.7864403681269367 0.4904919297930861 0.2404827466804118 0.0026622542764620505 0.12189019270044499 -0.507404859276626
//   -1.3689254871507477 1.4980802800172692 0.16143902668031984 2.5393370673697997
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  %r0 = aten.sum.dim_IntList %a0 dim [1] : (tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %r0 : tensor<2x5xf32>
}

// -----
// case: sum.dim_IntList_dim1_keep
// inputs: uniform
// expect:
//   -0.7864403681269367 0.4904919297930861 0.2404827466804118 0.0026622542764620505 0.12189019270044499 -0.507404859276626
//   -1.3689254871507477 1.4980802800172692 0.16143902668031984 2.5393370673697997
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x1x5xf32> {
  %r0 = aten.sum.dim_IntList %a0 dim [1] keepdim true : (tensor<2x3x5xf32>) -> tensor<2x1x5xf32>
  return %r0 : tensor<2x1x5xf32>
}

// -----
// case: sum.dim_IntList_last
// inputs: uniform
// expect:
//   0.3438731095445249 1.2691286749639121 -1.5439150291849688 -1.2010055561043864 0.3844526111515485 3.139078972592853
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x3xf32> {
  %r0 = aten.sum.dim_IntList %a0 dim [-1] : (tensor<2x3x5xf32>) -> tensor<2x3xf32>
  return %r0 : tensor<2x3xf32>
}

// -----
// case: sum.dim_IntList_last_keep
// inputs: uniform
// expect:
//   0.3438731095445249 1.2691286749639121 -1.5439150291849688 -1.2010055561043864 0.3844526111515485 3.139078972592853
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x3x1xf32> {
  %r0 = aten.sum.dim_IntList %a0 dim [-1] keepdim true : (tensor<2x3x5xf32>) -> tensor<2x3x1xf32>
  return %r0 : tensor<2x3x1xf32>
}

// -----
// case: sum.dim_IntList_two
// inputs: uniform
// expect:
//   -0.8571324465598615 1.6535812861154606 1.5951639434078841
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<3xf32> {
  %r0 = aten.sum.dim_IntList %a0 dim [0, 2] : (tensor<2x3x5xf32>) -> tensor<3xf32>
  return %r0 : tensor<3xf32>
}

// -----
// case: sum.dim_IntList_two_keep
// inputs: uniform
// expect:
//   -0.8571324465598615 1.6535812861154606 1.5951639434078841
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x3x1xf32> {
  %r0 = aten.sum.dim_IntList %a0 dim [0, 2] keepdim true : (tensor<2x3x5xf32>) -> tensor<1x3x1xf32>
  return %r0 : tensor<1x3x1xf32>
}

// -----
// case: sum.dim_IntList_all
// inputs: uniform
// expect:
//   2.3916127829634832
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<f32> {
  %r0 = aten.sum.dim_IntList %a0 : (tensor<2x3x5xf32>) -> tensor<f32>
  return %r0 : tensor<f32>
}

// -----
// case: sum.dim_IntList_all_keep
// inputs: uniform
// expect:
//   2.3916127829634832
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x1x1xf32> {
  %r0 = aten.sum.dim_IntList %a0 keepdim true : (tensor<2x3x5xf32>) -> tensor<1x1x1xf32>
  return %r0 : tensor<1x1x1xf32>
}

// -----
// case: mean.dim_dim0
// inputs: uniform
// expect:
//   0.8241037433746434 -0.13343181774784862 0.18642184803953477 -1.639288818048332 0.3336288211020717 -0.8035406335627595
//   -0.46732515869763347 0.34258304451583443 1.0560965170345091 0.6989768737677797 -0.6674857235136653 0.1615401977666513
//   0.3402766207934713 0.6652429414922139 0.2980079351652709
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<3x5xf32> {
  %r0 = aten.mean.dim %a0 dim [0] : (tensor<2x3x5xf32>) -> tensor<3x5xf32>
  return %r0 : tensor<3x5xf32>
}

// -----
// case: mean.dim_dim0_keep
// inputs: uniform
// expect:
//   0.8241037433746434 -0.13343181774784862 0.18642184803953477 -1.639288818048332 0.3336288211020717 -0.8035406335627595
//   -0.46732515869763347 0.34258304451583443 1.0560965170345091 0.6989768737677797 -0.6674857235136653 0.1615401977666513
//   0.3402766207934713 0.6652429414922139 0.2980079351652709
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x3x5xf32> {
  %r0 = aten.mean.dim %a0 dim [0] keepdim true : (tensor<2x3x5xf32>) -> tensor<1x3x5xf32>
  return %r0 : tensor<1x3x5xf32>
}

// -----
// case: mean.dim_dim1
// inputs: uniform
// expect:
//   -0.26214678937564556 0.1634973099310287 0.08016091556013727 0.0008874180921540168 0.040630064233481665 -0.1691349530922087
//   -0.4563084957169159 0.49936009333908976 0.05381300889343995 0.8464456891232666
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  %r0 = aten.mean.dim %a0 dim [1] : (tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %r0 : tensor<2x5xf32>
}

// -----
// case: mean.dim_dim1_keep
// inputs: uniform
// expect:
//   -0.26214678937564556 0.1634973099310287 0.08016091556013727 0.0008874180921540168 0.040630064233481665 -0.1691349530922087
//   -0.4563084957169159 0.49936009333908976 0.05381300889343995 0.8464456891232666
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x1x5xf32> {
  %r0 = aten.mean.dim %a0 dim [1] keepdim true : (tensor<2x3x5xf32>) -> tensor<2x1x5xf32>
  return %r0 : tensor<2x1x5xf32>
}

// -----
// case: mean.dim_last
// inputs: uniform
// expect:
//   0.06877462190890497 0.25382573499278244 -0.30878300583699375 -0.24020111122087728 0.0768905222303097 0.6278157945185706
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x3xf32> {
  %r0 = aten.mean.dim %a0 dim [-1] : (tensor<2x3x5xf32>) -> tensor<2x3xf32>
  return %r0 : tensor<2x3xf32>
}

// -----
// case: mean.dim_last_keep
// inputs: uniform
// expect:
//   0.06877462190890497 0.25382573499278244 -0.30878300583699375 -0.24020111122087728 0.0768905222303097 0.6278157945185706
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x3x1xf32> {
  %r0 = aten.mean.dim %a0 dim [-1] keepdim true : (tensor<2x3x5xf32>) -> tensor<2x3x1xf32>
  return %r0 : tensor<2x3x1xf32>
}

// -----
// case: mean.dim_two
// inputs: uniform
// expect:
//   -0.08571324465598615 0.16535812861154606 0.1595163943407884
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<3xf32> {
  %r0 = aten.mean.dim %a0 dim [0, 2] : (tensor<2x3x5xf32>) -> tensor<3xf32>
  return %r0 : tensor<3xf32>
}

// -----
// case: mean.dim_two_keep
// inputs: uniform
// expect:
//   -0.08571324465598615 0.16535812861154606 0.1595163943407884
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x3x1xf32> {
  %r0 = aten.mean.dim %a0 dim [0, 2] keepdim true : (tensor<2x3x5xf32>) -> tensor<1x3x1xf32>
  return %r0 : tensor<1x3x1xf32>
}

// -----
// case: mean.dim_all
// inputs: uniform
// expect:
//   0.07972042609878277
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<f32> {
  %r0 = aten.mean.dim %a0 : (tensor<2x3x5xf32>) -> tensor<f32>
  return %r0 : tensor<f32>
}

// -----
// case: mean.dim_all_keep
// inputs: uniform
// expect:
//   0.07972042609878277
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x1x1xf32> {
  %r0 = aten.mean.dim %a0 keepdim true : (tensor<2x3x5xf32>) -> tensor<1x1x1xf32>
  return %r0 : tensor<1x1x1xf32>
}

// -----
// case: amax_dim0
// inputs: uniform
// expect:
//   1.5332432328545704 0.2662463006891236 0.36475893679231763 -1.5461986317713818 0.9414343712242483 -0.452927816064264
//   0.9592680574203296 1.125847095466583 1.6381745339422409 0.7294509399159832 0.5317843378899125 1.0581028238496697
//   0.3641484252639344 1.0748423859210665 0.9293998885259751
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<3x5xf32> {
  %r0 = aten.amax %a0 dim [0] : (tensor<2x3x5xf32>) -> tensor<3x5xf32>
  return %r0 : tensor<3x5xf32>
}

// -----
// case: amax_dim0_keep
// inputs: uniform
// expect:
//   1.5332432328545704 0.2662463006891236 0.36475893679231763 -1.5461986317713818 0.9414343712242483 -0.452927816064264
//   0.9592680574203296 1.125847095466583 1.6381745339422409 0.7294509399159832 0.5317843378899125 1.0581028238496697
//   0.3641484252639344 1.0748423859210665 0.9293998885259751
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x3x5xf32> {
  %r0 = aten.amax %a0 dim [0] keepdim true : (tensor<2x3x5xf32>) -> tensor<1x3x5xf32>
  return %r0 : tensor<1x3x5xf32>
}

// -----
// case: amax_dim1
// inputs: uniform
// expect:
//   1.5332432328545704 0.9592680574203296 0.36475893679231763 1.0748423859210665 0.7294509399159832 0.5317843378899125
//   1.0581028238496697 1.125847095466583 1.6381745339422409 0.9414343712242483
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  %r0 = aten.amax %a0 dim [1] : (tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %r0 : tensor<2x5xf32>
}

// -----
// case: amax_dim1_keep
// inputs: uniform
// expect:
//   1.5332432328545704 0.9592680574203296 0.36475893679231763 1.0748423859210665 0.7294509399159832 0.5317843378899125
//   1.0581028238496697 1.125847095466583 1.6381745339422409 0.9414343712242483
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x1x5xf32> {
  %r0 = aten.amax %a0 dim [1] keepdim true : (tensor<2x3x5xf32>) -> tensor<2x1x5xf32>
  return %r0 : tensor<2x1x5xf32>
}

// -----
// case: amax_last
// inputs: uniform
// expect:
//   1.5332432328545704 0.9592680574203296 1.0748423859210665 0.9414343712242483 1.6381745339422409 1.0581028238496697
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x3xf32> {
  %r0 = aten.amax %a0 dim [-1] : (tensor<2x3x5xf32>) -> tensor<2x3xf32>
  return %r0 : tensor<2x3xf32>
}

// -----
// case: amax_last_keep
// inputs: uniform
// expect:
//   1.5332432328545704 0.9592680574203296 1.0748423859210665 0.9414343712242483 1.6381745339422409 1.0581028238496697
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x3x1xf32> {
  %r0 = aten.amax %a0 dim [-1] keepdim true : (tensor<2x3x5xf32>) -> tensor<2x3x1xf32>
  return %r0 : tensor<2x3x1xf32>
}

// -----
// case: amax_two
// inputs: uniform
// expect:
//   1.5332432328545704 1.6381745339422409 1.0748423859210665
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<3xf32> {
  %r0 = aten.amax %a0 dim [0, 2] : (tensor<2x3x5xf32>) -> tensor<3xf32>
  return %r0 : tensor<3xf32>
}

// -----
// case: amax_two_keep
// inputs: uniform
// expect:
//   1.5332432328545704 1.6381745339422409 1.0748423859210665
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x3x1xf32> {
  %r0 = aten.amax %a0 dim [0, 2] keepdim true : (tensor<2x3x5xf32>) -> tensor<1x3x1xf32>
  return %r0 : tensor<1x3x1xf32>
}

// -----
// case: amax_all
// inputs: uniform
// expect:
//   1.6381745339422409
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<f32> {
  %r0 = aten.amax %a0 : (tensor<2x3x5xf32>) -> tensor<f32>
  return %r0 : tensor<f32>
}

// -----
// case: amax_all_keep
// inputs: uniform
// expect:
//   1.6381745339422409
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x1x1xf32> {
  %r0 = aten.amax %a0 keepdim true : (tensor<2x3x5xf32>) -> tensor<1x1x1xf32>
  return %r0 : tensor<1x1x1xf32>
}

// -----
// case: amin_dim0
// inputs: uniform
// expect:
//   0.11496425389471643 -0.5331099361848208 0.008084759286751897 -1.7323790043252822 -0.2741767290201049 -1.154153451061255
//   -1.8939183748155966 -0.44068100643491404 0.4740185001267774 0.6685028076195763 -1.8667557849172431 -0.7350224283163671
//   0.3164048163230082 0.2556434970633612 -0.3333840181954333
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<3x5xf32> {
  %r0 = aten.amin %a0 dim [0] : (tensor<2x3x5xf32>) -> tensor<3x5xf32>
  return %r0 : tensor<3x5xf32>
}

// -----
// case: amin_dim0_keep
// inputs: uniform
// expect:
//   0.11496425389471643 -0.5331099361848208 0.008084759286751897 -1.7323790043252822 -0.2741767290201049 -1.154153451061255
//   -1.8939183748155966 -0.44068100643491404 0.4740185001267774 0.6685028076195763 -1.8667557849172431 -0.7350224283163671
//   0.3164048163230082 0.2556434970633612 -0.3333840181954333
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x3x5xf32> {
  %r0 = aten.amin %a0 dim [0] keepdim true : (tensor<2x3x5xf32>) -> tensor<1x3x5xf32>
  return %r0 : tensor<1x3x5xf32>
}

// -----
// case: amin_dim1
// inputs: uniform
// expect:
//   -1.8667557849172431 -0.7350224283163671 -0.44068100643491404 -1.5461986317713818 -0.3333840181954333 -1.154153451061255
//   -1.8939183748155966 0.008084759286751897 -1.7323790043252822 0.6685028076195763
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  %r0 = aten.amin %a0 dim [1] : (tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %r0 : tensor<2x5xf32>
}

// -----
// case: amin_dim1_keep
// inputs: uniform
// expect:
//   -1.8667557849172431 -0.7350224283163671 -0.44068100643491404 -1.5461986317713818 -0.3333840181954333 -1.154153451061255
//   -1.8939183748155966 0.008084759286751897 -1.7323790043252822 0.6685028076195763
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x1x5xf32> {
  %r0 = aten.amin %a0 dim [1] keepdim true : (tensor<2x3x5xf32>) -> tensor<2x1x5xf32>
  return %r0 : tensor<2x1x5xf32>
}

// -----
// case: amin_last
// inputs: uniform
// expect:
//   -1.5461986317713818 -0.452927816064264 -1.8667557849172431 -1.7323790043252822 -1.8939183748155966 0.2556434970633612
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x3xf32> {
  %r0 = aten.amin %a0 dim [-1] : (tensor<2x3x5xf32>) -> tensor<2x3xf32>
  return %r0 : tensor<2x3xf32>
}

// -----
// case: amin_last_keep
// inputs: uniform
// expect:
//   -1.5461986317713818 -0.452927816064264 -1.8667557849172431 -1.7323790043252822 -1.8939183748155966 0.2556434970633612
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x3x1xf32> {
  %r0 = aten.amin %a0 dim [-1] keepdim true : (tensor<2x3x5xf32>) -> tensor<2x3x1xf32>
  return %r0 : tensor<2x3x1xf32>
}

// -----
// case: amin_two
// inputs: uniform
// expect:
//   -1.7323790043252822 -1.8939183748155966 -1.8667557849172431
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<3xf32> {
  %r0 = aten.amin %a0 dim [0, 2] : (tensor<2x3x5xf32>) -> tensor<3xf32>
  return %r0 : tensor<3xf32>
}

// -----
// case: amin_two_keep
// inputs: uniform
// expect:
//   -1.7323790043252822 -1.8939183748155966 -1.8667557849172431
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x3x1xf32> {
  %r0 = aten.amin %a0 dim [0, 2] keepdim true : (tensor<2x3x5xf32>) -> tensor<1x3x1xf32>
  return %r0 : tensor<1x3x1xf32>
}

// -----
// case: amin_all
// inputs: uniform
// expect:
//   -1.8939183748155966
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<f32> {
  %r0 = aten.amin %a0 : (tensor<2x3x5xf32>) -> tensor<f32>
  return %r0 : tensor<f32>
}

// -----
// case: amin_all_keep
// inputs: uniform
// expect:
//   -1.8939183748155966
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x1x1xf32> {
  %r0 = aten.amin %a0 keepdim true : (tensor<2x3x5xf32>) -> tensor<1x1x1xf32>
  return %r0 : tensor<1x1x1xf32>
}

// -----
// case: logsumexp_dim0
// inputs: uniform
// expect:
//   1.7500711786343037 0.6375465939631018 0.8953875034446866 -0.9418149896569675 1.2011248721564063 -0.05014828135410904
//   1.015327259158633 1.3154493745101021 1.9098690020129365 1.392588316830523 0.6187419932584199 1.2120585059974114
//   1.0337087058198753 1.4400302334613662 1.1784961037412631
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<3x5xf32> {
  %r0 = aten.logsumexp %a0 dim [0] : (tensor<2x3x5xf32>) -> tensor<3x5xf32>
  return %r0 : tensor<3x5xf32>
}

// -----
// case: logsumexp_dim0_keep
// inputs: uniform
// expect:
//   1.7500711786343037 0.6375465939631018 0.8953875034446866 -0.9418149896569675 1.2011248721564063 -0.05014828135410904
//   1.015327259158633 1.3154493745101021 1.9098690020129365 1.392588316830523 0.6187419932584199 1.2120585059974114
//   1.0337087058198753 1.4400302334613662 1.1784961037412631
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x3x5xf32> {
  %r0 = aten.logsumexp %a0 dim [0] keepdim true : (tensor<2x3x5xf32>) -> tensor<1x3x5xf32>
  return %r0 : tensor<1x3x5xf32>
}

// -----
// case: logsumexp_dim1
// inputs: uniform
// expect:
//   1.6907538032938438 1.4803166030241304 1.2400974986584468 1.5579391604865729 1.2671262593761587 1.143943837840292
//   1.28596520208692 1.7102298664189726 1.8891769659663262 1.9527379725026575
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  %r0 = aten.logsumexp %a0 dim [1] : (tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %r0 : tensor<2x5xf32>
}

// -----
// case: logsumexp_dim1_keep
// inputs: uniform
// expect:
//   1.6907538032938438 1.4803166030241304 1.2400974986584468 1.5579391604865729 1.2671262593761587 1.143943837840292
//   1.28596520208692 1.7102298664189726 1.8891769659663262 1.9527379725026575
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x1x5xf32> {
  %r0 = aten.logsumexp %a0 dim [1] keepdim true : (tensor<2x3x5xf32>) -> tensor<2x1x5xf32>
  return %r0 : tensor<2x1x5xf32>
}

// -----
// case: logsumexp_last
// inputs: uniform
// expect:
//   2.122459874467801 2.024130429405866 1.7320680154808392 1.696944509104784 2.3651573430364294 2.287109509236143
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x3xf32> {
  %r0 = aten.logsumexp %a0 dim [-1] : (tensor<2x3x5xf32>) -> tensor<2x3xf32>
  return %r0 : tensor<2x3xf32>
}

// -----
// case: logsumexp_last_keep
// inputs: uniform
// expect:
//   2.122459874467801 2.024130429405866 1.7320680154808392 1.696944509104784 2.3651573430364294 2.287109509236143
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x3x1xf32> {
  %r0 = aten.logsumexp %a0 dim [-1] keepdim true : (tensor<2x3x5xf32>) -> tensor<2x3x1xf32>
  return %r0 : tensor<2x3x1xf32>
}

// -----
// case: logsumexp_two
// inputs: uniform
// expect:
//   2.625313571677435 2.902258582145752 2.7407604346642005
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<3xf32> {
  %r0 = aten.logsumexp %a0 dim [0, 2] : (tensor<2x3x5xf32>) -> tensor<3xf32>
  return %r0 : tensor<3xf32>
}

// -----
// case: logsumexp_two_keep
// inputs: uniform
// expect:
//   2.625313571677435 2.902258582145752 2.7407604346642005
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x3x1xf32> {
  %r0 = aten.logsumexp %a0 dim [0, 2] keepdim true : (tensor<2x3x5xf32>) -> tensor<1x3x1xf32>
  return %r0 : tensor<1x3x1xf32>
}

// -----
// case: logsumexp_far
// inputs: offset
// tolerance: 5e-11
// expect:
//   1001.9623354004997 1001.9438466145149
func.func @f(%a0: tensor<2x7xf32>) -> tensor<2xf32> {
  %r0 = aten.logsumexp %a0 dim [1] : (tensor<2x7xf32>) -> tensor<2xf32>
  return %r0 : tensor<2xf32>
}

// -----
// case: logsumexp_special
// inputs: special
// expect:
//   nan inf -inf 0.0 0.0 800.0
//   -800.0 0.001 -0.001 25.0 -25.0 1.5
func.func @f(%a0: tensor<1x12xf32>) -> tensor<12xf32> {
  %r0 = aten.logsumexp %a0 dim [0] : (tensor<1x12xf32>) -> tensor<12xf32>
  return %r0 : tensor<12xf32>
}

// -----
// case: sum
// inputs: uniform
// expect:
//   2.3916127829634832
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<f32> {
  %r0 = aten.sum %a0 : (tensor<2x3x5xf32>) -> tensor<f32>
  return %r0 : tensor<f32>
}

// -----
// case: sum_scalar
// inputs: uniform
// expect:
//   1.5332432328545704
func.func @f(%a0: tensor<f32>) -> tensor<f32> {
  %r0 = aten.sum %a0 : (tensor<f32>) -> tensor<f32>
  return %r0 : tensor<f32>
}

// -----
// case: prod
// inputs: uniform
// expect:
//   -6.893319272084711e-08
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<f32> {
  %r0 = aten.prod %a0 : (tensor<2x3x5xf32>) -> tensor<f32>
  return %r0 : tensor<f32>
}

// -----
// case: prod_scalar
// inputs: uniform
// expect:
//   1.5332432328545704
func.func @f(%a0: tensor<f32>) -> tensor<f32> {
  %r0 = aten.prod %a0 : (tensor<f32>) -> tensor<f32>
  return %r0 : tensor<f32>
}

// -----
// case: mean
// inputs: uniform
// expect:
//   0.07972042609878277
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<f32> {
  %r0 = aten.mean %a0 : (tensor<2x3x5xf32>) -> tensor<f32>
  return %r0 : tensor<f32>
}

// -----
// case: mean_scalar
// inputs: uniform
// expect:
//   1.5332432328545704
func.func @f(%a0: tensor<f32>) -> tensor<f32> {
  %r0 = aten.mean %a0 : (tensor<f32>) -> tensor<f32>
  return %r0 : tensor<f32>
}

// -----
// case: max
// inputs: uniform
// expect:
//   1.6381745339422409
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<f32> {
  %r0 = aten.max %a0 : (tensor<2x3x5xf32>) -> tensor<f32>
  return %r0 : tensor<f32>
}

// -----
// case: max_scalar
// inputs: uniform
// expect:
//   1.5332432328545704
func.func @f(%a0: tensor<f32>) -> tensor<f32> {
  %r0 = aten.max %a0 : (tensor<f32>) -> tensor<f32>
  return %r0 : tensor<f32>
}

// -----
// case: min
// inputs: uniform
// expect:
//   -1.8939183748155966
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<f32> {
  %r0 = aten.min %a0 : (tensor<2x3x5xf32>) -> tensor<f32>
  return %r0 : tensor<f32>
}

// -----
// case: min_scalar
// inputs: uniform
// expect:
//   1.5332432328545704
func.func @f(%a0: tensor<f32>) -> tensor<f32> {
  %r0 = aten.min %a0 : (tensor<f32>) -> tensor<f32>
  return %r0 : tensor<f32>
}

// -----
// case: sum_i64
// inputs: integer
// expect:
//   -2.0
func.func @f(%a0: tensor<3x5xi64>) -> tensor<i64> {
  %r0 = aten.sum %a0 : (tensor<3x5xi64>) -> tensor<i64>
  return %r0 : tensor<i64>
}

// -----
// case: sum.dim_IntList_i64
// inputs: integer
// expect:
//   -4.0 2.0 0.0
func.func @f(%a0: tensor<3x5xi64>) -> tensor<3xi64> {
  %r0 = aten.sum.dim_IntList %a0 dim [1] : (tensor<3x5xi64>) -> tensor<3xi64>
  return %r0 : tensor<3xi64>
}

// -----
// case: prod_i64
// inputs: integer
// expect:
//   2.0 0.0 0.0 0.0 1.0
func.func @f(%a0: tensor<3x5xi64>) -> tensor<5xi64> {
  %r0 = aten.prod.dim_int %a0 dim 0 : (tensor<3x5xi64>) -> tensor<5xi64>
  return %r0 : tensor<5xi64>
}

// -----
// case: sum_i32
// inputs: integer
// expect:
//   -2.0
func.func @f(%a0: tensor<3x5xi32>) -> tensor<i64> {
  %r0 = aten.sum %a0 : (tensor<3x5xi32>) -> tensor<i64>
  return %r0 : tensor<i64>
}

// -----
// case: sum.dim_IntList_i32
// inputs: integer
// expect:
//   -4.0 2.0 0.0
func.func @f(%a0: tensor<3x5xi32>) -> tensor<3xi64> {
  %r0 = aten.sum.dim_IntList %a0 dim [1] : (tensor<3x5xi32>) -> tensor<3xi64>
  return %r0 : tensor<3xi64>
}

// -----
// case: prod_i32
// inputs: integer
// expect:
//   2.0 0.0 0.0 0.0 1.0
func.func @f(%a0: tensor<3x5xi32>) -> tensor<5xi64> {
  %r0 = aten.prod.dim_int %a0 dim 0 : (tensor<3x5xi32>) -> tensor<5xi64>
  return %r0 : tensor<5xi64>
}

// -----
// case: sum_i1
// inputs: bool
// expect:
//   11.0
func.func @f(%a0: tensor<3x5xi1>) -> tensor<i64> {
  %r0 = aten.sum %a0 : (tensor<3x5xi1>) -> tensor<i64>
  return %r0 : tensor<i64>
}

// -----
// case: sum.dim_IntList_i1
// inputs: bool
// expect:
//   4.0 4.0 3.0
func.func @f(%a0: tensor<3x5xi1>) -> tensor<3xi64> {
  %r0 = aten.sum.dim_IntList %a0 dim [1] : (tensor<3x5xi1>) -> tensor<3xi64>
  return %r0 : tensor<3xi64>
}

// -----
// case: prod_i1
// inputs: bool
// expect:
//   1.0 0.0 0.0 0.0 1.0
func.func @f(%a0: tensor<3x5xi1>) -> tensor<5xi64> {
  %r0 = aten.prod.dim_int %a0 dim 0 : (tensor<3x5xi1>) -> tensor<5xi64>
  return %r0 : tensor<5xi64>
}

// -----
// case: amax_i64
// inputs: integer
// expect:
//   1.0 1.0 1.0
func.func @f(%a0: tensor<3x5xi64>) -> tensor<3xi64> {
  %r0 = aten.amax %a0 dim [1] : (tensor<3x5xi64>) -> tensor<3xi64>
  return %r0 : tensor<3xi64>
}

// -----
// case: amin_i32
// inputs: integer
// expect:
//   -2.0 0.0 -2.0
func.func @f(%a0: tensor<3x5xi32>) -> tensor<3xi32> {
  %r0 = aten.amin %a0 dim [1] : (tensor<3x5xi32>) -> tensor<3xi32>
  return %r0 : tensor<3xi32>
}

// -----
// case: prod.dim_int_0
// inputs: uniform
// expect:
//   0.17626816430424866 -0.14193854836982328 0.002948988201657438 2.67860204619722 -0.2581193964893636 0.5227482019922076
//   -1.8167754003220251 -0.4961394311220385 0.7765250355251836 0.4876400013545736 -0.9927114890843801 -0.7777293069943895
//   0.11521831560994786 0.2747764663287883 -0.3098470693471774
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<3x5xf32> {
  %r0 = aten.prod.dim_int %a0 dim 0 : (tensor<2x3x5xf32>) -> tensor<3x5xf32>
  return %r0 : tensor<3x5xf32>
}

// -----
// case: prod.dim_int_1
// inputs: uniform
// expect:
//   1.296365771413547 -0.18772588339544213 -0.05085964909863556 -0.787780743479497 0.06667629445727678 -0.07056054425590574
//   1.068331190582942 0.0033145528016822593 -0.7255006933662024 0.584919232859713
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  %r0 = aten.prod.dim_int %a0 dim 1 : (tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %r0 : tensor<2x5xf32>
}

// -----
// case: prod.dim_int_-1
// inputs: uniform
// expect:
//   0.06312428260768886 0.06620406997002853 -0.15556817030756892 0.0008081270758350138 2.6950549826497063 0.04868321129064172
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x3xf32> {
  %r0 = aten.prod.dim_int %a0 dim -1 : (tensor<2x3x5xf32>) -> tensor<2x3xf32>
  return %r0 : tensor<2x3xf32>
}

// -----
// case: prod.dim_int_keep
// inputs: uniform
// expect:
//   1.296365771413547 -0.18772588339544213 -0.05085964909863556 -0.787780743479497 0.06667629445727678 -0.07056054425590574
//   1.068331190582942 0.0033145528016822593 -0.7255006933662024 0.584919232859713
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x1x5xf32> {
  %r0 = aten.prod.dim_int %a0 dim 1 keepdim true : (tensor<2x3x5xf32>) -> tensor<2x1x5xf32>
  return %r0 : tensor<2x1x5xf32>
}

// -----
// case: linalg_vector_norm_2.0
// inputs: uniform
// expect:
//   2.4577948608826308 1.237473340620195 0.6537284139417128 1.9418315843364542 0.8475945115847603 1.275962989390831
//   2.233990734170977 1.1833009428397618 2.3979379507974596 1.482220911979637
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  %r0 = aten.linalg_vector_norm %a0 ord 2.0 dim [1] : (tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %r0 : tensor<2x5xf32>
}

// -----
// case: linalg_vector_norm_1.0
// inputs: uniform
// expect:
//   3.8529268338360776 1.9605367864258203 1.1218447595502399 3.0950595178192257 1.3370116871315214 1.800902042845884
//   3.485131134850087 1.4980802800172692 3.6261970353308843 2.5393370673697997
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  %r0 = aten.linalg_vector_norm %a0 ord 1.0 dim [1] : (tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %r0 : tensor<2x5xf32>
}

// -----
// case: linalg_vector_norm_0.0
// inputs: integer
// expect:
//   3.0 2.0 2.0 2.0 3.0 3.0
//   3.0 3.0 3.0 3.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  %r0 = aten.linalg_vector_norm %a0 ord 0.0 dim [1] : (tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %r0 : tensor<2x5xf32>
}

// -----
// case: linalg_vector_norm_3.0
// inputs: uniform
// expect:
//   2.1688832223444203 1.0910258890691171 0.5493511954348002 1.715068259522537 0.7639204538844295 1.1909783146712272
//   2.010733310337283 1.1384052176675046 2.1262056397264852 1.2463239550854006
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  %r0 = aten.linalg_vector_norm %a0 ord 3.0 dim [1] : (tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %r0 : tensor<2x5xf32>
}

// -----
// case: linalg_vector_norm_0.5
// inputs: uniform
// expect:
//   10.742227999791371 5.5354203267842275 3.349959922978023 8.813170353802436 3.822384886901069 4.590797231609219
//   9.828112759768336 3.0779959563109314 9.620683221547068 7.573226064090597
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  %r0 = aten.linalg_vector_norm %a0 ord 0.5 dim [1] : (tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %r0 : tensor<2x5xf32>
}

// -----
// case: linalg_vector_norm_inf
// inputs: uniform
// expect:
//   1.8667557849172431 0.9592680574203296 0.44068100643491404 1.5461986317713818 0.7294509399159832 1.154153451061255
//   1.8939183748155966 1.125847095466583 1.7323790043252822 0.9414343712242483
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  %r0 = aten.linalg_vector_norm %a0 ord 0x7FF0000000000000 dim [1] : (tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %r0 : tensor<2x5xf32>
}

// -----
// case: linalg_vector_norm_-inf
// inputs: uniform
// expect:
//   0.452927816064264 0.2662463006891236 0.3164048163230082 0.4740185001267774 0.2741767290201049 0.11496425389471643
//   0.5331099361848208 0.008084759286751897 0.2556434970633612 0.6685028076195763
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xf32> {
  %r0 = aten.linalg_vector_norm %a0 ord 0xFFF0000000000000 dim [1] : (tensor<2x3x5xf32>) -> tensor<2x5xf32>
  return %r0 : tensor<2x5xf32>
}

// -----
// case: linalg_vector_norm_all
// inputs: uniform
// expect:
//   5.334291477214538
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<f32> {
  %r0 = aten.linalg_vector_norm %a0 : (tensor<2x3x5xf32>) -> tensor<f32>
  return %r0 : tensor<f32>
}

// -----
// case: linalg_vector_norm_keep
// inputs: uniform
// expect:
//   3.0340728584424976 3.37540682926879 2.8028014896656246
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x3x1xf32> {
  %r0 = aten.linalg_vector_norm %a0 dim [0, 2] keepdim true : (tensor<2x3x5xf32>) -> tensor<1x3x1xf32>
  return %r0 : tensor<1x3x1xf32>
}

// -----
// case: max.dim_0
// inputs: uniform
// expect:
//   1.5332432328545704 0.2662463006891236 0.36475893679231763 -1.5461986317713818 0.9414343712242483 -0.452927816064264
//   0.9592680574203296 1.125847095466583 1.6381745339422409 0.7294509399159832 0.5317843378899125 1.0581028238496697
//   0.3641484252639344 1.0748423859210665 0.9293998885259751
// expect:
//   0.0 0.0 0.0 0.0 1.0 0.0
//   0.0 1.0 1.0 0.0 1.0 1.0
//   1.0 0.0 1.0
func.func @f(%a0: tensor<2x3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xi64>) {
  %r0, %r1 = aten.max.dim %a0 dim 0 : (tensor<2x3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xi64>)
  return %r0, %r1 : tensor<3x5xf32>, tensor<3x5xi64>
}

// -----
// case: max.dim_1
// inputs: uniform
// expect:
//   1.5332432328545704 0.9592680574203296 0.36475893679231763 1.0748423859210665 0.7294509399159832 0.5317843378899125
//   1.0581028238496697 1.125847095466583 1.6381745339422409 0.9414343712242483
// expect:
//   0.0 1.0 0.0 2.0 1.0 2.0
//   2.0 1.0 1.0 0.0
func.func @f(%a0: tensor<2x3x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xi64>) {
  %r0, %r1 = aten.max.dim %a0 dim 1 : (tensor<2x3x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xi64>)
  return %r0, %r1 : tensor<2x5xf32>, tensor<2x5xi64>
}

// -----
// case: max.dim_-1
// inputs: uniform
// expect:
//   1.5332432328545704 0.9592680574203296 1.0748423859210665 0.9414343712242483 1.6381745339422409 1.0581028238496697
// expect:
//   0.0 1.0 3.0 4.0 3.0 1.0
func.func @f(%a0: tensor<2x3x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>) {
  %r0, %r1 = aten.max.dim %a0 dim -1 : (tensor<2x3x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  return %r0, %r1 : tensor<2x3xf32>, tensor<2x3xi64>
}

// -----
// case: max.dim_keep
// inputs: uniform
// expect:
//   1.5332432328545704 0.9592680574203296 0.36475893679231763 1.0748423859210665 0.7294509399159832 0.5317843378899125
//   1.0581028238496697 1.125847095466583 1.6381745339422409 0.9414343712242483
// expect:
//   0.0 1.0 0.0 2.0 1.0 2.0
//   2.0 1.0 1.0 0.0
func.func @f(%a0: tensor<2x3x5xf32>) -> (tensor<2x1x5xf32>, tensor<2x1x5xi64>) {
  %r0, %r1 = aten.max.dim %a0 dim 1 keepdim true : (tensor<2x3x5xf32>) -> (tensor<2x1x5xf32>, tensor<2x1x5xi64>)
  return %r0, %r1 : tensor<2x1x5xf32>, tensor<2x1x5xi64>
}

// -----
// case: max.dim_ties
// inputs: integer
// expect:
//   1.0 2.0 2.0 2.0
// expect:
//   3.0 8.0 2.0 0.0
func.func @f(%a0: tensor<4x9xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %r0, %r1 = aten.max.dim %a0 dim 1 : (tensor<4x9xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return %r0, %r1 : tensor<4xf32>, tensor<4xi64>
}

// -----
// case: max.dim_special
// inputs: special
// expect:
//   nan 800.0 25.0
// expect:
//   0.0 1.0 1.0
func.func @f(%a0: tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xi64>) {
  %r0, %r1 = aten.max.dim %a0 dim 1 : (tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  return %r0, %r1 : tensor<3xf32>, tensor<3xi64>
}

// -----
// case: min.dim_0
// inputs: uniform
// expect:
//   0.11496425389471643 -0.5331099361848208 0.008084759286751897 -1.7323790043252822 -0.2741767290201049 -1.154153451061255
//   -1.8939183748155966 -0.44068100643491404 0.4740185001267774 0.6685028076195763 -1.8667557849172431 -0.7350224283163671
//   0.3164048163230082 0.2556434970633612 -0.3333840181954333
// expect:
//   1.0 1.0 1.0 1.0 0.0 1.0
//   1.0 0.0 0.0 1.0 0.0 0.0
//   0.0 1.0 0.0
func.func @f(%a0: tensor<2x3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xi64>) {
  %r0, %r1 = aten.min.dim %a0 dim 0 : (tensor<2x3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xi64>)
  return %r0, %r1 : tensor<3x5xf32>, tensor<3x5xi64>
}

// -----
// case: min.dim_1
// inputs: uniform
// expect:
//   -1.8667557849172431 -0.7350224283163671 -0.44068100643491404 -1.5461986317713818 -0.3333840181954333 -1.154153451061255
//   -1.8939183748155966 0.008084759286751897 -1.7323790043252822 0.6685028076195763
// expect:
//   2.0 2.0 1.0 0.0 2.0 1.0
//   1.0 0.0 0.0 1.0
func.func @f(%a0: tensor<2x3x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xi64>) {
  %r0, %r1 = aten.min.dim %a0 dim 1 : (tensor<2x3x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xi64>)
  return %r0, %r1 : tensor<2x5xf32>, tensor<2x5xi64>
}

// -----
// case: min.dim_-1
// inputs: uniform
// expect:
//   -1.5461986317713818 -0.452927816064264 -1.8667557849172431 -1.7323790043252822 -1.8939183748155966 0.2556434970633612
// expect:
//   3.0 0.0 0.0 3.0 1.0 3.0
func.func @f(%a0: tensor<2x3x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>) {
  %r0, %r1 = aten.min.dim %a0 dim -1 : (tensor<2x3x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  return %r0, %r1 : tensor<2x3xf32>, tensor<2x3xi64>
}

// -----
// case: min.dim_keep
// inputs: uniform
// expect:
//   -1.8667557849172431 -0.7350224283163671 -0.44068100643491404 -1.5461986317713818 -0.3333840181954333 -1.154153451061255
//   -1.8939183748155966 0.008084759286751897 -1.7323790043252822 0.6685028076195763
// expect:
//   2.0 2.0 1.0 0.0 2.0 1.0
//   1.0 0.0 0.0 1.0
func.func @f(%a0: tensor<2x3x5xf32>) -> (tensor<2x1x5xf32>, tensor<2x1x5xi64>) {
  %r0, %r1 = aten.min.dim %a0 dim 1 keepdim true : (tensor<2x3x5xf32>) -> (tensor<2x1x5xf32>, tensor<2x1x5xi64>)
  return %r0, %r1 : tensor<2x1x5xf32>, tensor<2x1x5xi64>
}

// -----
// case: min.dim_ties
// inputs: integer
// expect:
//   -2.0 -2.0 -2.0 -2.0
// expect:
//   0.0 4.0 0.0 2.0
func.func @f(%a0: tensor<4x9xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %r0, %r1 = aten.min.dim %a0 dim 1 : (tensor<4x9xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return %r0, %r1 : tensor<4xf32>, tensor<4xi64>
}

// -----
// case: min.dim_special
// inputs: special
// expect:
//   nan -800.0 -25.0
// expect:
//   0.0 2.0 2.0
func.func @f(%a0: tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xi64>) {
  %r0, %r1 = aten.min.dim %a0 dim 1 : (tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  return %r0, %r1 : tensor<3xf32>, tensor<3xi64>
}

// -----
// case: argmax_0
// inputs: uniform
// expect:
//   0.0 0.0 0.0 0.0 1.0 0.0
//   0.0 1.0 1.0 0.0 1.0 1.0
//   1.0 0.0 1.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<3x5xi64> {
  %r0 = aten.argmax %a0 dim 0 : (tensor<2x3x5xf32>) -> tensor<3x5xi64>
  return %r0 : tensor<3x5xi64>
}

// -----
// case: argmax_1
// inputs: uniform
// expect:
//   0.0 1.0 0.0 2.0 1.0 2.0
//   2.0 1.0 1.0 0.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xi64> {
  %r0 = aten.argmax %a0 dim 1 : (tensor<2x3x5xf32>) -> tensor<2x5xi64>
  return %r0 : tensor<2x5xi64>
}

// -----
// case: argmax_-1
// inputs: uniform
// expect:
//   0.0 1.0 3.0 4.0 3.0 1.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x3xi64> {
  %r0 = aten.argmax %a0 dim -1 : (tensor<2x3x5xf32>) -> tensor<2x3xi64>
  return %r0 : tensor<2x3xi64>
}

// -----
// case: argmax_all
// inputs: uniform
// expect:
//   23.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<i64> {
  %r0 = aten.argmax %a0 : (tensor<2x3x5xf32>) -> tensor<i64>
  return %r0 : tensor<i64>
}

// -----
// case: argmax_all_keep
// inputs: uniform
// expect:
//   23.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x1x1xi64> {
  %r0 = aten.argmax %a0 keepdim true : (tensor<2x3x5xf32>) -> tensor<1x1x1xi64>
  return %r0 : tensor<1x1x1xi64>
}

// -----
// case: argmax_keep
// inputs: uniform
// expect:
//   0.0 1.0 0.0 2.0 1.0 2.0
//   2.0 1.0 1.0 0.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x1x5xi64> {
  %r0 = aten.argmax %a0 dim 1 keepdim true : (tensor<2x3x5xf32>) -> tensor<2x1x5xi64>
  return %r0 : tensor<2x1x5xi64>
}

// -----
// case: argmax_ties
// inputs: integer
// expect:
//   3.0 8.0 2.0 0.0
func.func @f(%a0: tensor<4x9xf32>) -> tensor<4xi64> {
  %r0 = aten.argmax %a0 dim 1 : (tensor<4x9xf32>) -> tensor<4xi64>
  return %r0 : tensor<4xi64>
}

// -----
// case: argmin_0
// inputs: uniform
// expect:
//   1.0 1.0 1.0 1.0 0.0 1.0
//   1.0 0.0 0.0 1.0 0.0 0.0
//   0.0 1.0 0.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<3x5xi64> {
  %r0 = aten.argmin %a0 dim 0 : (tensor<2x3x5xf32>) -> tensor<3x5xi64>
  return %r0 : tensor<3x5xi64>
}

// -----
// case: argmin_1
// inputs: uniform
// expect:
//   2.0 2.0 1.0 0.0 2.0 1.0
//   1.0 0.0 0.0 1.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x5xi64> {
  %r0 = aten.argmin %a0 dim 1 : (tensor<2x3x5xf32>) -> tensor<2x5xi64>
  return %r0 : tensor<2x5xi64>
}

// -----
// case: argmin_-1
// inputs: uniform
// expect:
//   3.0 0.0 0.0 3.0 1.0 3.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x3xi64> {
  %r0 = aten.argmin %a0 dim -1 : (tensor<2x3x5xf32>) -> tensor<2x3xi64>
  return %r0 : tensor<2x3xi64>
}

// -----
// case: argmin_all
// inputs: uniform
// expect:
//   21.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<i64> {
  %r0 = aten.argmin %a0 : (tensor<2x3x5xf32>) -> tensor<i64>
  return %r0 : tensor<i64>
}

// -----
// case: argmin_all_keep
// inputs: uniform
// expect:
//   21.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<1x1x1xi64> {
  %r0 = aten.argmin %a0 keepdim true : (tensor<2x3x5xf32>) -> tensor<1x1x1xi64>
  return %r0 : tensor<1x1x1xi64>
}

// -----
// case: argmin_keep
// inputs: uniform
// expect:
//   2.0 2.0 1.0 0.0 2.0 1.0
//   1.0 0.0 0.0 1.0
func.func @f(%a0: tensor<2x3x5xf32>) -> tensor<2x1x5xi64> {
  %r0 = aten.argmin %a0 dim 1 keepdim true : (tensor<2x3x5xf32>) -> tensor<2x1x5xi64>
  return %r0 : tensor<2x1x5xi64>
}

// -----
// case: argmin_ties
// inputs: integer
// expect:
//   0.0 4.0 0.0 2.0
func.func @f(%a0: tensor<4x9xf32>) -> tensor<4xi64> {
  %r0 = aten.argmin %a0 dim 1 : (tensor<4x9xf32>) -> tensor<4xi64>
  return %r0 : tensor<4xi64>
}
